"""The analysis of crossword games: word graph, play generator, leaves, equity, simulation. Needs numba and numpy."""
