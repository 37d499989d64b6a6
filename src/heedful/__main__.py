"""`python -m heedful` is the command line."""

from heedful.edges.cli import main

main()
