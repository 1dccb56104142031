"""Asking others what they would play."""
