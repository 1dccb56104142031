"""Showing what is posted: pictures, viewers, other notations, and the problems of a text."""
