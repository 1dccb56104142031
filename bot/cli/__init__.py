"""The command line over the service; one module for each group of commands."""
