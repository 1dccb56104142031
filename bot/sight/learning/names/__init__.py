"""What lines of text are learnt from."""
