"""Crossword games: tiles, boards, plays, rules, notations. Standard library only."""
