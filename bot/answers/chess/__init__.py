"""What is said about chess."""
