"""Reviews as a feature of the bot."""

from __future__ import annotations

from functools import partial

from bot.features.analysis.controls import FAIRNESS, MEANS
from bot.features.review.commands import Reviewing, collect_own
from bot.features.review.controls import LESSONS, OWN_GAMES, REVIEWS
from bot.features.review.games import reviewing, teaching
from bot.features.review.lessons import Lessons
from bot.features.review.offered import offers
from bot.features.review.own_games import OwnGames
from bot.features.review.service import Reviews
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host


def _open(host: Host) -> None:
    services, desk, showing = host.services, host.desk, host.services[SHOWING]
    kinds = reviewing(host)
    reviews = Reviews(desk, kinds, showing.viewing, showing.links, services[FAIRNESS])
    services.add(REVIEWS, reviews)
    lessons = services.add(LESSONS, Lessons(desk, reviews, teaching(host)))
    services.add(OWN_GAMES, OwnGames(desk, reviews, host.store))
    services.stops += [reviews.stop, lessons.stop]
    services.after_answer.append(collect_own)
    showing.offered.append(
        partial(offers, analysis=services.of(MEANS) is not None, engine="chess" in host.jobs)
    )


FEATURE = Feature("review", _open, (Reviewing,))
