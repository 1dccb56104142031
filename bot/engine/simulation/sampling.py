"""Which plays of a simulation get the next iterations, and when those they had are enough.

Every play gets a few iterations first. From then on it is the best and those challengers that are hardest to tell from
it: top-two sampling after Garivier and Kaufmann (2016), with the penalty for plays that had many that MAGPIE uses. Since
iteration k deals the same tiles to every play, a challenger is compared with the best by the iterations that both had,
and the best always has as many as its challengers.
"""

from __future__ import annotations

import math

from bot.engine.simulation.candidates import (
    Candidate,
    deciding_column,
    evidence,
    is_worse,
    ranked,
    reference_of,
    spot_of,
)

FIRST = 48
"""Iterations that every play gets; on fewer, none is given up. With 32 the errors told were measured to be too small."""
_SHORTEST = 4
"""Iterations of the first round."""
_ROUND = 64
"""Iterations that a play gets in a round."""
_CHALLENGERS = 2
"""Plays that get iterations beside the best in a round."""
_ENOUGH = 100
"""Nothing is decided before the best has had so many."""


def judge(candidates: list[Candidate], risk: float, *, keep: int = 0) -> list[Candidate]:
    """Mark plays that are worse than the best, but for the risk, as dropped; return all of them, best first.

    What was dropped is taken up again when it is no longer worse than the one that is the best now. So many of those next
    to the best are kept in any case.
    """
    reference = reference_of(candidates)
    best, *others = ranked(candidates, reference)
    column = deciding_column([one for one in candidates if not one.dropped])
    for place, other in enumerate(others):
        enough = min(best.iterations, other.iterations) >= FIRST
        other.dropped = place >= keep and enough and is_worse(best, other, column, risk / len(others))
    return ranked(candidates, reference)


def is_decided(in_order: list[Candidate]) -> bool:
    """Return whether no other play is in question, except for those that are as good as the same as the best."""
    best, *others = in_order
    spot = spot_of(best.play)
    return best.iterations >= _ENOUGH and all(
        other.dropped or spot_of(other.play) == spot for other in others
    )


def shares(in_order: list[Candidate], most: int, *, evenly: bool) -> list[tuple[Candidate, int]]:
    """Return which plays get iterations next, and how many they have had then: no more than ``most``.

    With ``evenly``, and at the beginning, all that are in question come to the same number, those that missed some first.
    Nothing is returned when all had their iterations.
    """
    best, *others = live = [candidate for candidate in in_order if not candidate.dropped]
    level = min(candidate.iterations for candidate in live)
    if evenly or level < FIRST:
        done = max(candidate.iterations for candidate in live)
        step = min(_ROUND, done - level if level < done else max(_SHORTEST, done))
        chosen = [(one, level + step if evenly else min(level + step, FIRST)) for one in live]
    else:
        column = deciding_column(live)
        paired = {one: min(best.iterations, one.iterations) for one in others}
        waiting = [one for one in others if paired[one] < most]
        waiting.sort(key=lambda one: evidence(best, one, column) + math.log(paired[one]))
        chosen = [(one, paired[one] + _ROUND) for one in waiting[:_CHALLENGERS]]
        if chosen or not others:
            chosen.append((best, max([upto for _, upto in chosen] or [best.iterations + _ROUND])))
    return [(one, min(upto, most)) for one, upto in chosen if one.iterations < min(upto, most)]
