"""The store in parts, by what they remember."""
