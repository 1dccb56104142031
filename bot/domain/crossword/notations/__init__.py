"""The notations of crossword games, and the fields that they share. ``write`` uses the canonical form of a notation."""
