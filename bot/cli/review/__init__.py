"""``review``: what every turn of the games in files lost, and how their players play together."""

from bot.cli.review.command import add_parser

__all__ = ["add_parser"]
