"""What chess looks like: scenes to draw, and the same in words for those who cannot see them."""
