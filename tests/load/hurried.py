"""The bot with shortened pauses and time limits: ``python -m tests.load.hurried run``."""

from __future__ import annotations

from bot.__main__ import main
from bot.chat import delivery, interrupted
from bot.engine import analysis
from bot.features.polls import commands as polls, crossword
from bot.features.puzzles import daily_posts
from bot.features.showing.listening import catch_up
from bot.observe.process import exit_process

if __name__ == "__main__":
    for module, name in (
        (interrupted, "CHECK_SECONDS"),
        (catch_up, "RETRY_SECONDS"),
        (polls, "CHECK_SECONDS"),
        (polls, "QUERY_SECONDS"),
        (daily_posts, "ROUND_SECONDS"),
    ):
        setattr(module, name, 0.1)
    delivery.RETRY_PAUSES = (0.2,) * 6  # type: ignore[misc]
    analysis.DEFAULT_SECONDS = crossword.COMPARE_SECONDS = 8.0
    exit_process(main())
