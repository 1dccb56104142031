"""The command line over the features; one module for each group of commands."""
