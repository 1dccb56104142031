"""Positions and games, and the notations they are written in. No I/O beyond the data files of the package, no clock."""
