"""The composition roots of the bot and of its workers."""
