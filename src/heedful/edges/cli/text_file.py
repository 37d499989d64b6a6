"""A text file that belongs to somebody else: read as a whole, and replaced as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from heedful.errors import InvalidInput


def read(file: Path) -> str:
    """Its text, to the byte; empty if there is no such file."""
    try:
        if file.exists() and not file.is_file():
            raise InvalidInput(f"{file} is not a file.", hint="Name a file, such as AGENTS.md.")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8, and was left as it is.", hint="Save it as UTF-8 first.") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {_reason(error)}.", hint="Check the name of the file.") from None


def replace(file: Path, text: str) -> None:
    """A link stays a link, and who may read and write the file stays as it is."""
    try:
        target = file.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            fresh.write_bytes(text.encode())
            if target.exists():
                fresh.chmod(target.stat().st_mode & 0o7777)
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{file} cannot be written: {_reason(error)}.", hint="Choose another place.") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
