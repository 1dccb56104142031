"""The bot as a process that records what blocks its event loop.

It is a package, so that the bot's own child processes don't import the recorder.
"""
