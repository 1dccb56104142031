"""Settings of servers and people, help, privacy and the welcome."""
