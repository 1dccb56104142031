"""What players use, a room each: logic, words, cards, controls, commands and tables."""
