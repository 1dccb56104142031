"""The notations: each module has ``read(text)`` for one text and ``write(value)`` for its canonical form."""
