"""Monitors the bot for the person who hosts it: logs, metrics and health."""
