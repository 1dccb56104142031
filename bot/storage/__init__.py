"""The bot's data, in an SQLite file by default, or on a PostgreSQL server. See :class:`bot.storage.store.Store`."""
