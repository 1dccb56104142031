"""Analyzes crossword games (plays, simulation, inference, endgames) with numba and numpy, and asks UCI and UCGI engines."""
