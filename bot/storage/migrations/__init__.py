"""The versions of the schema, in order, run by :mod:`bot.storage.migrate`.

To change the schema, change :mod:`bot.storage.tables` and add a file to ``versions``. Its ``down_revision`` is the
``revision`` of the newest file so far. ``pytest tests/storage`` prints every difference between the tables and the
migrations' result. A file uses SQLAlchemy's own types, so that its meaning never changes, and ``op.batch_alter_table``,
because SQLite changes a table by copying it. There is no downgrade.
"""
