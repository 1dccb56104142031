"""Games played by Turn URL in a channel."""
