"""What was wrong and what is right: pairs of words that a correcting message may mean, and a judge of them."""
