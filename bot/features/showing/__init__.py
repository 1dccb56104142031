"""Shows posted documents: pictures, viewers, conversions to other notations, and the problems of a text."""
