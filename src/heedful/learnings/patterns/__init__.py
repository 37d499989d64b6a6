"""Patterns of decisions about suggestions: their counts, and conclusions from them."""
