"""Finished games, reviewed: what every turn lost, lessons, own games."""
