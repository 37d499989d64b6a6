"""Corrections applied to new outputs."""
