"""Reading text files and stdin, and replacing files atomically."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from heedful.errors import InvalidInput
from heedful.records.correction import LONG_LIMIT


def read(file: Path) -> str:
    """Returns the text with its line endings; empty if the file does not exist."""
    try:
        if file.exists() and not file.is_file():
            raise InvalidInput(f"{file} is not a file.", hint="Name a file, such as AGENTS.md.")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8. It was not changed.", hint="Save it as UTF-8 first.") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {_reason(error)}.", hint="Check the path.") from None


def replace(file: Path, text: str) -> None:
    """Preserves symbolic links and permissions."""
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
        raise InvalidInput(f"{file} cannot be written: {_reason(error)}.", hint="Choose another path.") from None


def read_input(file: str) -> str:
    most = 4 * LONG_LIMIT + 1  # bytes: a character takes four at most
    try:
        if file == "-":
            content = sys.stdin.buffer.read(most)
        else:
            with Path(file).open("rb") as source:
                content = source.read(most)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from None
    if len(content) == most:
        raise InvalidInput(f"The text is longer than {LONG_LIMIT:,} characters.", hint="Pass only the relevant part.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The text is not UTF-8.", hint="Convert it first, for example with iconv.") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
