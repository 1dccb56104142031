"""The notations of chess: each is a package, or a module, with ``read`` and most with ``write``."""
