"""The toolkit on top of discord.py: receives messages and interactions, and sends cards."""
