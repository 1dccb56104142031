"""The notations of chess: each is a module with ``read``, and most modules have ``write``."""
