"""Runs the bot, and measures what blocks its event loop.

This is a package, because child processes import their parent's main module unless it is a package's `__main__`.
"""
