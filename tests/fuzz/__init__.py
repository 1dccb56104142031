"""Coverage-guided fuzzing, and random damage. Only a sample of the damaged inputs is part of the test run."""
