"""Analyzes positions: best plays, simulations, solutions, and plays that users try. Answers questions about words."""
