"""Finds and reads the documents in a source, in this process or in a killable process, without services or the store."""
