"""Features, one folder each: logic, words, cards, controls, commands and tables."""
