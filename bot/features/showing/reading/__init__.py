"""Finds and reads the documents in a source. These functions use no services and no store, so a killable process can run them."""
