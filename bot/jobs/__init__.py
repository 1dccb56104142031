"""Running work: analyses that can be watched and stopped, and reading in turn and within limits."""
