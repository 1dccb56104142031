"""Reviews of finished games, of either kind."""
