"""Makes, proves, judges and rates puzzles, and posts daily puzzles."""
