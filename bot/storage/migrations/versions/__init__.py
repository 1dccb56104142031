"""One file for each version of the schema since release 0.2.0. The effect of a released file must never change.

A new database gets the newest tables directly, without these files.
"""
