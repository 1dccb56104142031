"""The host's view of the bot: log, metrics and health."""
