"""The review of a finished game: what every turn lost, who was lucky, and why."""
