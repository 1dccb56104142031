"""Parsing code shared by crossword games and chess: pieces of text with locations, warnings and errors."""
