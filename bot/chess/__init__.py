"""Chess on python-chess: positions, games, puzzle files and opening books, read and written, with their faults told."""
