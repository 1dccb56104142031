"""Reads boards in pictures.

The lines between squares locate a board (:mod:`~bot.sight.chessboards`, :mod:`~bot.sight.grids`). The squares are cut out
(:mod:`~bot.sight.squares`) and classified by small networks (:mod:`~bot.sight.network`, :mod:`~bot.sight.tiles`). Then the whole board is
checked (:mod:`~bot.sight.chess`, :mod:`~bot.sight.crossword`). The bonus squares identify the board layout (:mod:`~bot.sight.bonus`). Racks
(:mod:`~bot.sight.racks`) and scores (:mod:`~bot.sight.scores`) are searched for beside the board.
"""

import os

# With several threads, small networks take four times the CPU time. NumPy reads this variable when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
