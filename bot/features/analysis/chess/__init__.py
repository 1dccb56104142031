"""Chess positions, judged by an engine."""
