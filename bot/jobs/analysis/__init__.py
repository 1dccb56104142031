"""The analysis of one crossword position as a job: its request, its result and its progress."""

from bot.jobs.analysis.challenge import turn_worth
from bot.jobs.analysis.installed import compile_all, is_installed
from bot.jobs.analysis.perform import STATIC_SECONDS, lexicon_for, perform
from bot.jobs.analysis.phonies import phonies_on
from bot.jobs.analysis.values import (
    FINES,
    MAX_PLAYS,
    MAX_SECONDS,
    AnalysisRequest,
    AnalysisResult,
    Bluff,
    Challenge,
    ChallengeRule,
    Method,
    Outcome,
    Phony,
    Progress,
    can_be_simulated,
    can_be_solved,
)

__all__ = [
    "FINES",
    "MAX_PLAYS",
    "MAX_SECONDS",
    "STATIC_SECONDS",
    "AnalysisRequest",
    "AnalysisResult",
    "Bluff",
    "Challenge",
    "ChallengeRule",
    "Method",
    "Outcome",
    "Phony",
    "Progress",
    "can_be_simulated",
    "can_be_solved",
    "compile_all",
    "is_installed",
    "lexicon_for",
    "perform",
    "phonies_on",
    "turn_worth",
]
