"""Polls that ask other users what they would play."""
