"""Games by link: what a message names, what is asked for it, and what the sites answer."""
