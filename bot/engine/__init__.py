"""Crossword analysis (plays, simulation, inference, endgames) on numba and numpy, and clients for UCI and UCGI engines."""
