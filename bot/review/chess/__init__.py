"""The review of chess games."""
