"""Reviews of finished games, lessons, and users' own games."""
