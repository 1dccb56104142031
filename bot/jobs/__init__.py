"""Runs long work: analyses, which users can watch and stop, and parsing, for which users take turns."""
