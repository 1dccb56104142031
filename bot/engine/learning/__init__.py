"""What the engine finds out by playing against itself."""
