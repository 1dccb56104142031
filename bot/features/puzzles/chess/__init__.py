"""Chess puzzles."""
