"""Settings of servers and users, users' stored data, the help, and the welcome message."""
