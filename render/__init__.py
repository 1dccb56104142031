"""Drawing: scenes in, pictures out. It draws squares, tile faces, marks and panels, and does not know the rules of any game."""
