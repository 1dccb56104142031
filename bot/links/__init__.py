"""Games by link: finds the links in a message, fetches their pages, and parses the pages."""
