"""What the bot remembers between two starts: SQLite by default, PostgreSQL when hosted.

`bot.storage.store.Store` is the door. Nothing outside this package (and `bot.jobs`) imports SQLAlchemy.
"""
