"""Reads boards in pictures: pixels in, boards with confidences out.

A board is found by its lines (:mod:`~bot.sight.chessboards`, :mod:`~bot.sight.grids`), its squares are cut
(:mod:`~bot.sight.squares`) and read by small networks (:mod:`~bot.sight.network`, :mod:`~bot.sight.tiles`), and the
whole board is checked (:mod:`~bot.sight.chess`, :mod:`~bot.sight.crossword`). Bonus squares give the board layout
(:mod:`~bot.sight.bonus`); beside the board are racks (:mod:`~bot.sight.racks`) and scores (:mod:`~bot.sight.scores`).
"""

import os

# Small networks take four times the processor time on several threads. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
