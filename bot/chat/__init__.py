"""Discord: the only place that knows it. Messages and interactions become sources; replies become messages."""
