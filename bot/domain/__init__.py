"""Positions and games, and the notations they are written in. Nothing here uses the network or the clock.

The only files read are the package's data and compiled opening books.
"""
