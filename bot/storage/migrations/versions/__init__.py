"""One file for each version of the schema since release 0.2.0. The effect of a released file must never change."""
