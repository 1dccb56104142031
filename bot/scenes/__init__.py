"""Positions and games as scenes to draw, and the same in words for those who cannot see them."""
