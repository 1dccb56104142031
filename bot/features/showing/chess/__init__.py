"""Shows chess positions, games, puzzle files and opening books."""
