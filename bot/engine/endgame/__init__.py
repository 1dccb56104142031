"""The end of a game: when the bag is empty, and when one tile is in it."""
