"""External services behind one-method protocols."""
