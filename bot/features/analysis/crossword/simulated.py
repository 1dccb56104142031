"""What is said of a simulation beside its ranking."""

from __future__ import annotations

from bot.engine.simulation.result import Ending, SimulationResult
from bot.text import Speaker


def simulation_remarks(simulation: SimulationResult, players: int, say: Speaker) -> list[str]:
    """Say how thorough it was, what comes after the best play, and what the figures are worth among so many players."""
    remarks = [simulation_words(simulation, say)]
    first = simulation.plays[0]
    if len(first.plies) > 1:
        reply = first.plies[1]
        values = {"points": reply.score, "percent": round(100 * reply.bingos)}
        remarks.append(
            say(
                "After the first, the opponent scores {points:.1f} on average and has a bingo {percent} % of the time.",
                **values,
            )
            if players == 2
            else say(
                "After the first, the next player scores {points:.1f} on average and has a bingo {percent} % of the time.",
                **values,
            )
        )
    if players > 2:
        remarks.append(
            say(
                "Equity counts against the best of the others. Wins among {players} players are an estimate from games of two.",
                players=players,
            )
        )
    return remarks


def simulation_words(simulation: SimulationResult, say: Speaker) -> str:
    """Say how many rollouts there were, and why they ended."""
    turns = say.count("{number} turn ahead", "{number} turns ahead", simulation.plies)
    rollouts = say.count("{number} rollout", "{number} rollouts", simulation.rollouts)
    ending = ""
    if simulation.ending is Ending.DECIDED:
        ending = say("; 99 % sure that it is the best")
    elif simulation.ending is Ending.CANCELLED:
        ending = say("; stopped early")
    return f"{rollouts}, {turns}{ending}."
