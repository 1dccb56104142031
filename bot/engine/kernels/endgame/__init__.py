"""The compiled part of the endgame's search."""
