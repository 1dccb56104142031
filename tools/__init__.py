"""What developers run from a checkout; no part of the installed bot."""
