"""Live games, whose players post Turn URLs in a channel."""
