"""The bot without the extra ``analysis``: everything works except analyses."""

import subprocess
import sys
from pathlib import Path

RUN_WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = sys.modules["numpy"] = None
import bot.__main__, bot.features.showing.service, bot.domain.notations, bot.features.showing.crossword.board_scene, bot.jobs.local
import bot.engine.plays.values, bot.engine.simulation.result, bot.engine.analysis
sys.exit(bot.__main__.main(["inspect", "-"]))
"""


def test_the_bot_runs_without_numba():
    completed = subprocess.run(
        [sys.executable, "-c", RUN_WITHOUT_NUMBA],
        cwd=Path(__file__).parents[2],
        check=False,
        input="15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15",
        capture_output=True,
        text=True,
    )
    assert completed.returncode == 0, completed.stderr
    assert "cgp" in completed.stdout.lower()
