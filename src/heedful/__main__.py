"""`heedful`, and `python -m heedful`: the command line. A hook is answered before any of it is imported."""

import sys


def main() -> None:
    if "hook" in sys.argv:
        from heedful.edges.hook.client import answered  # noqa: PLC0415

        if answered(sys.argv[1:]):
            return
    from heedful.edges.cli import main as command_line  # noqa: PLC0415

    command_line()


if __name__ == "__main__":
    main()
