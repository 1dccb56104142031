"""Sight: pixels in, boards with confidences out.

A chessboard is found by its lines (:mod:`~bot.sight.finder`), its squares are cut (:mod:`~bot.sight.squares`) and read by
a small network (:mod:`~bot.sight.network`), and what was read is weighed as a whole (:mod:`~bot.sight.chess`).
"""
