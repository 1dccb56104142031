"""One file a version, from release 0.2.0 on; a new database gets the newest tables at once. A released file keeps its effect."""
