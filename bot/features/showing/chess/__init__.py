"""Chess positions, games, puzzle files and books, shown."""
