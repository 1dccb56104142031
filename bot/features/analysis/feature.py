"""Analysis as a feature of the bot."""

from __future__ import annotations

from functools import partial

from bot.features.analysis.chess import ChessAnalyses
from bot.features.analysis.commands import Analysis, AnalysisOnMention
from bot.features.analysis.controls import (
    ANALYSES,
    ENGINE,
    FAIRNESS,
    MEANS,
    TRIALS,
    UNDER_WAY,
    WORDS,
    offers,
)
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.service import Analyses
from bot.features.analysis.trials import Trials
from bot.features.analysis.words import WordQuestions
from bot.features.analysis.work import UnderWay
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host


def _open(host: Host) -> None:
    services, desk, showing = host.services, host.desk, host.services[SHOWING]
    fairness = services.add(FAIRNESS, Fairness(desk))
    under_way = services.add(UNDER_WAY, UnderWay())
    services.stops.append(under_way.stop)
    jobs, engine_jobs = host.jobs.get("analysis"), host.jobs.get("chess")
    means = engine = None
    if jobs is not None and host.lexica is not None:
        means = services.add(MEANS, AnalysisMeans(jobs, host.lexica, host.settings.analysis.lexicon))
        services.add(ANALYSES, Analyses(desk, means, fairness, under_way))
        services.add(WORDS, WordQuestions(desk, means, fairness))
    if engine_jobs is not None:
        engine = services.add(ENGINE, ChessAnalyses(desk, engine_jobs, fairness))
    services.add(TRIALS, Trials(showing, means, engine, fairness, desk))
    showing.offered.append(partial(offers, analysis=means is not None, engine=engine is not None))
    services.mentioned.append(AnalysisOnMention())


FEATURE = Feature("analysis", _open, (Analysis,))
