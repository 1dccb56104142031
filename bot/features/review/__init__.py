"""Reviews finished games, summarizes users' own games, and gives lessons."""
