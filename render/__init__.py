"""Draws scenes as pictures, without knowing the rules of any game."""
