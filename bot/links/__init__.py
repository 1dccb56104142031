"""Games by link: finding the links in a message, fetching their pages, and parsing these."""
