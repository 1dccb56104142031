"""Reviews of chess games."""
