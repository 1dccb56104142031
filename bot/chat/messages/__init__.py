"""Messages that people write: heard, read, and answered once."""
