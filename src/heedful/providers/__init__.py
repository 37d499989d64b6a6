"""The outside world behind one-method protocols."""
