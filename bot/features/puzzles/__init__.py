"""Makes and rates puzzles, verifies their solutions, judges answers, and posts daily puzzles."""
