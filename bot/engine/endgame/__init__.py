"""Endgames, with an empty bag, and pre-endgames, with one to four tiles in the bag."""
