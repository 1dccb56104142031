"""The data of the bot: in SQLite by default, in PostgreSQL when hosted.

:class:`bot.storage.store.Store` is the entrance. No module outside this package (and :mod:`bot.jobs`) imports SQLAlchemy.
"""
