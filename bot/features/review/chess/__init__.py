"""Chess games, reviewed."""
