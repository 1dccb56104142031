"""The offline demo: its process, its pages in a browser, and its pictures in the documentation."""
