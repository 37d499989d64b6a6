"""Rules for agents in their prompts."""
