"""Coverage-guided fuzzing; not part of the test run."""
