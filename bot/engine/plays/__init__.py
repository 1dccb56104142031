"""Finds the plays of a position and their equity."""
