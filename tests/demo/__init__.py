"""The offline demo, seen from outside: its process, its page in a browser, its picture for the documentation."""
