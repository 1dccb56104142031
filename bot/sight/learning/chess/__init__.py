"""Made-up chessboards."""
