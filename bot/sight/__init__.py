"""Reads boards in pictures.

A board is located by the lines between its squares (:mod:`~bot.sight.chessboards`, :mod:`~bot.sight.grids`). Small networks classify its squares
(:mod:`~bot.sight.network`). Then the whole board is checked (:mod:`~bot.sight.chess`, :mod:`~bot.sight.crossword`).
"""

import os

# With several threads, small networks take four times the CPU time. NumPy reads this variable when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
