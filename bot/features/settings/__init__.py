"""What servers and people choose; help, privacy, welcome."""
