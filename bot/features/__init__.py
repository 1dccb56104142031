"""The features of the bot. Each folder contains the logic, sentences, cards, controls and commands of one feature."""
