"""Makes and proves puzzles, gives them to users, judges the answers, rates users, and posts daily puzzles."""
