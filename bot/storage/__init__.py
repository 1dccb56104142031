"""What the bot remembers between two starts: SQLite by default, PostgreSQL when hosted.

:class:`bot.storage.store.Store` is the door. Nothing outside this package (and :mod:`bot.jobs`) imports SQLAlchemy.
"""
