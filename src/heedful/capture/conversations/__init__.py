"""Conversations: recorded message by message, and imported from transcripts."""
