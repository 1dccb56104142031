"""Runs long work: analyses, which users can watch and stop, and parsing, which serves users in turn and within limits."""
