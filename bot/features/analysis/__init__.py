"""Analyzes positions, judges tried plays, and answers questions about words."""
