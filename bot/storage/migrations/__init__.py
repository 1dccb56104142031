"""The versions of the schema, in order, run by :mod:`bot.storage.migrate`.

To change the schema, change :mod:`bot.storage.tables` and add a file to ``versions``, its ``down_revision`` the newest
one's ``revision``; ``pytest tests/storage`` prints every difference between the two. A version uses
SQLAlchemy's own types, so that its meaning never changes, and ``op.batch_alter_table``, because SQLite changes a table by
copying it. There is no downgrade: an older program refuses a newer database.
"""
