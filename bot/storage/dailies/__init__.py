"""Dailies: what a server chose, what was posted there, who answered, and streaks."""
