"""Runs work: analyses that can be watched and stopped, and parsing in turn and within limits."""
