"""Parsing code shared by crossword games and chess: locations in a text, warnings and errors."""
