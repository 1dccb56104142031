"""The installed script ``kibitz``, which runs ``python -m bot``.

It imports no other module of Kibitz at the top, because multiprocessing imports the script again in every process that it
starts.
"""

from __future__ import annotations

from typing import NoReturn


def run() -> NoReturn:
    """Run the command line and end the process."""
    from bot.__main__ import main  # noqa: PLC0415 - as above
    from bot.observe.process import exit_process  # noqa: PLC0415 - as above

    exit_process(main())
