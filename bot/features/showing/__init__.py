"""Shows posted documents: pictures, viewers, conversions to other notations, and explanations of errors in them."""
