"""The notations. Each module finds, reads and writes one notation. ``write`` uses the canonical form."""
