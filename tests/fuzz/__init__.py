"""Fuzz targets, one for each reader; not part of the test suite."""
