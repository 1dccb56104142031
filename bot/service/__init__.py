"""The flow from a source to a reply: one service for every shell."""
