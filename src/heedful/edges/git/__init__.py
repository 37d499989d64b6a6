"""The Git mirror: decisions, rules and edge cases as files of a repository, one commit for each approval of a rule.

`documents` renders records as Markdown and reads edited rules. `repository` runs the `git` program, `fast_import` makes
commits and `work_tree` follows them. `edits` proposes what people edited, `commits` tells what happened since the last
run, and `mirror` puts them together. Nothing but the log decides what is written: the same log gives the same files.
"""
