"""What would you play? People's plays in one position, secret until they are revealed, in either game."""
