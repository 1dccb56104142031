"""The offline demo: the real bot in a simulated Discord, and what stands in its channels."""
