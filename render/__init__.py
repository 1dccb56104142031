"""Draws scenes as pictures: boards with their squares, tiles, marks and panels. The package does not know the rules of any game."""
