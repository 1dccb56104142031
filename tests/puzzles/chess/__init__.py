"""Tests of chess puzzles."""
