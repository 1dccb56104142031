"""Counting and timing what is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord

from bot.observe.metrics import Metrics, ReplyKind


@contextmanager
def counting(metrics: Metrics, kind: ReplyKind) -> Iterator[None]:
    """Time the sending of an answer, and count it when it was taken."""
    with metrics.stage("send"):
        yield
    metrics.count("replies", kind)


@contextmanager
def counting_to(interaction: discord.Interaction[Any]) -> Iterator[None]:
    """Time and count the sending of an answer to an interaction."""
    by_command = interaction.type is discord.InteractionType.application_command
    with counting(interaction.client.service.metrics, "command" if by_command else "control"):
        yield
