"""Learning from what a review found, in either game."""
