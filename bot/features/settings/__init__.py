"""Settings of servers and users, help, privacy and the welcome."""
