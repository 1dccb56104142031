"""The offline demo, tested from outside: its process, its pages in a browser, and its pictures in the documentation."""
