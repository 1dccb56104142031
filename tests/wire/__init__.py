"""The real discord.py client against a local server that speaks Discord's protocol over real sockets."""
