"""Chess: positions, games, puzzle files, opening books and their notations. python-chess knows the rules."""
