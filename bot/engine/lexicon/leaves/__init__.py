"""The values of leaves: the tiles that a play keeps on the rack."""
