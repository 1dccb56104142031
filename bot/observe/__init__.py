"""What the host can see of the bot: its log, what it counts, and whether it is well."""
