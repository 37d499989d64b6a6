"""Mining: a conversation becomes insights with evidence, step by step."""
