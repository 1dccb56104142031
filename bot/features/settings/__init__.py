"""Settings of servers and users, the help, the stored data of users, and the welcome to a server."""
