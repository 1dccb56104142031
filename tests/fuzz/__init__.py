"""Coverage-guided fuzzing; not part of the test run. See each file for how to start it."""
