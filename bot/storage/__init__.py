"""The data of the bot, in an SQLite file by default, or on a PostgreSQL server. See :class:`bot.storage.store.Store`."""
