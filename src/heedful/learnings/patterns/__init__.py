"""Patterns: what people decided about suggestions again and again. Their counts, and what they mean."""
