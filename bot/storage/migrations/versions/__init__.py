"""One file a version; the first creates the tables of release 0.2.0. A released file keeps its effect."""
