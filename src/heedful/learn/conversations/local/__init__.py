"""Insights found without a language model: sentences that state something, put together in their own words."""
