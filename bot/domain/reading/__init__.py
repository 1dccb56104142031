"""Parsing code shared by crossword games and chess: locations in text, warnings and errors."""
