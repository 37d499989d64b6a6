"""Learnings of every kind: their state, table, search, deduplication, review and forgetting."""
