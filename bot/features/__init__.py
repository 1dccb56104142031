"""The features of the bot. Each folder has the logic, sentences, cards, controls and commands of one feature."""
