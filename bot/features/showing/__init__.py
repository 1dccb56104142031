"""What was posted, shown: pictures, viewers, other notations, what is wrong with a text."""
