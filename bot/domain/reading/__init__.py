"""The kit that the readers of both games stand on: texts that know their places, and what can be wrong with them."""
