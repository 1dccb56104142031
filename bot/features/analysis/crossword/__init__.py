"""Analyzes crossword positions."""
