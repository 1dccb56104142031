"""Puzzles in chat: setting them, judging answers, and how people do at them."""
