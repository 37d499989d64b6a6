"""Documents: how their layout is recognised again."""
