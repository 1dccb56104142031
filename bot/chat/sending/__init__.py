"""Answers on their way to Discord."""
