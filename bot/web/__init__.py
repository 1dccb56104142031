"""What the host asks over HTTP."""
