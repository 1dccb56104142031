"""The versions of the schema, in order, run by :mod:`bot.storage.migrate`.

To change the schema, change :mod:`bot.storage.tables` and add a file to ``versions``, its ``down_revision`` the newest
one's ``revision``; ``pytest tests/storage`` prints every difference between the two. A version is written in
SQLAlchemy's own types, for it must mean the same in years, and uses ``op.batch_alter_table``, for SQLite changes
a table by copying it. There is no way back: an older program refuses a newer database.
"""
