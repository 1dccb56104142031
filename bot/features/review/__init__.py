"""Reviews of finished games: the loss of every turn, lessons, and the user's own games."""
