"""Tests of crossword puzzles."""
