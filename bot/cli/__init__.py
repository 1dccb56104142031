"""The command line. Each module contains related commands."""
