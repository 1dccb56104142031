"""The toolkit over discord.py: turns messages and interactions into sources, and cards into messages."""
