"""Kibitz, the Discord bot for people who play crossword games and chess."""
