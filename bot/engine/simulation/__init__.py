"""Playing on from candidate plays, again and again, and what the results are worth."""
