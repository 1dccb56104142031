"""Crossword games: tiles, boards, plays, rules, notations. Standard library only; no I/O beyond its own data files."""
