"""Tests with the real discord.py against a local server that speaks Discord's protocol."""
