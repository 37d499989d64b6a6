"""Adapters: heedful inside other frameworks. Each adds a context to a call and records what came of it."""
