"""Coverage-guided fuzzing; not part of the test run. See ``__main__`` for how to start it."""
