"""The migrations of the database, which :mod:`bot.storage.migrate` runs in order.

To change the schema, change :mod:`bot.storage.tables` and add a file to ``versions``. Its ``down_revision`` is the
``revision`` of the newest existing file. ``pytest tests/storage`` prints every difference between the tables and the
migrated schema. Use SQLAlchemy's own types, so that the file's effect never changes. Use ``op.batch_alter_table``, because
SQLite changes a table by copying it. There is no downgrade.
"""
