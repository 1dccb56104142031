"""The kit that the readers of both games stand on: texts that know their locations, and what can be wrong with them."""
