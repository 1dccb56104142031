"""Drawing: scenes in, pictures out. Knows squares, tile faces, marks and panels, and nothing of any game's rules."""
