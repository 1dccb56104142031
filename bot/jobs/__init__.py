"""Where analysis runs: long work, one after another, that can be watched and stopped."""
