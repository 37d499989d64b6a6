"""Edges: where the loop meets the world. Thin, each on its own."""
