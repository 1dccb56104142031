"""The bot as a process that records what blocks its event loop.

The recorder is a package, because child processes import their parent's main module unless it is a package's `__main__`.
"""
