"""The hook of coding agents: a client that starts in milliseconds, and the daemon that answers it.

`client` imports almost nothing, because it runs with every prompt and every tool. It asks `daemon`, which has
everything loaded; where there is none, `cold` answers in a hurry and starts one. `events` knows the JSON of each tool,
`answers` what to do about it, and `sessions` what was said before.
"""
