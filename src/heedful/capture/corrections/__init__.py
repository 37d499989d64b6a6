"""Corrections: detected in messages, and recorded."""
