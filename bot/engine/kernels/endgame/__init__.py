"""The compiled part of the endgame search."""
