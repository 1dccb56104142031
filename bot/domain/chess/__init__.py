"""Chess, played by python-chess: positions, games, puzzle files and opening books, and their notations."""
