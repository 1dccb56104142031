"""The offline demo: the real bot in a simulated Discord, and the messages in its channels."""
