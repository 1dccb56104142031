"""The notations of chess. Each has a module with ``read`` and, except for FEN, ``write``."""
