"""Fonts and pieces that are shipped with the program, each with its licence beside it."""
