"""What there is to chess beside showing it: trying a puzzle, looking into books, asking an engine."""
