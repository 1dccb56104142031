"""Simulates games from candidate plays, and evaluates the results."""
