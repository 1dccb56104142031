"""What the host sees of the bot: its log, its metrics and its health."""
