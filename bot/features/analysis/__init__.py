"""Best plays, simulations, solutions, what if, questions about words."""
