"""One file for each schema version since release 0.2.0. The effect of a released file must never change."""
