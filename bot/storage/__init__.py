"""The data of the bot, in an SQLite file by default, or on a PostgreSQL server.

:class:`bot.storage.store.Store` is the entry point. No module outside this package imports SQLAlchemy.
"""
