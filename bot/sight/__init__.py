"""Reads boards in pictures.

The lines between squares locate a board (:mod:`~bot.sight.chessboards`, :mod:`~bot.sight.grids`). Small networks classify its squares
(:mod:`~bot.sight.network`). Then the whole board is checked (:mod:`~bot.sight.chess`, :mod:`~bot.sight.crossword`).
"""

import os

# With several threads, small networks take four times the CPU time. NumPy reads this variable when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
