"""Shows posted documents in pictures and viewers, converts them to other notations, and explains their errors."""
