"""The plays of a position, found and valued at once."""
