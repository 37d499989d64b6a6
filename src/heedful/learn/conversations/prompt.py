"""The prompts that language models are asked with, and the variants that a user compares with them.

In the user's folder, `bug_fix.md` takes the place of the bundled prompt, and `bug_fix@short.md` is a variant of it.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from heedful.errors import Misconfigured
from heedful.records.insight import InsightCategory
from heedful.records.variant import STANDARD

NAMES: Final = ("categories", *(topic.value for topic in InsightCategory), "quotes", "rules")
_MOST_BYTES = 20_000
_MOST_FILES = 1_000
_VARIANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Prompt(NamedTuple):
    name: str
    variant: str
    text: str
    digest: str


def chosen(name: str, conversation: str, folder: Path | None = None) -> Prompt:
    """The variant a conversation is asked with: evenly among all of them, and the same whenever it is asked again.

    Each variant draws a number for the conversation, and the highest wins: a new variant takes its share from the
    others, and moves nothing between them.
    """
    return max(variants(name, folder), key=lambda one: _digest("\0".join((name, one.variant, conversation))))


def prompt(name: str, variant: str | None = None, folder: Path | None = None) -> Prompt:
    wanted = variant or STANDARD
    found = variants(name, folder)
    for one in found:
        if one.variant == wanted:
            return one
    there = ", ".join(one.variant for one in found)
    raise Misconfigured(f"The prompt {name!r} has no variant {wanted!r}.", hint=f"There are: {there}.")


def variants(name: str, folder: Path | None = None) -> tuple[Prompt, ...]:
    """The standard one first, then by name."""
    if name not in NAMES:
        raise Misconfigured(f"There is no prompt {name!r}.", hint=f"There are: {', '.join(NAMES)}.")
    own = {} if folder is None else _files(folder).get(name, {})
    standard = _read(own[STANDARD], name, STANDARD) if STANDARD in own else _bundled(name)
    others = sorted(own.keys() - {STANDARD})
    return (standard, *(_read(own[variant], name, variant) for variant in others))


def every(folder: Path | None = None) -> tuple[Prompt, ...]:
    """All there are, so that a mistake in any of them is found before it is needed."""
    return tuple(one for name in NAMES for one in variants(name, folder))


@cache
def _bundled(name: str) -> Prompt:
    text = files("heedful.learn.conversations").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
    return Prompt(name, STANDARD, text, _digest(text)[:8])


def _files(folder: Path) -> dict[str, dict[str, Path]]:
    """The user's files by the name of the prompt and of the variant."""
    found: dict[str, dict[str, Path]] = {}
    for path in _listed(folder):
        if path.suffix != ".md" or path.name.startswith("."):
            continue
        name, at, variant = path.stem.partition("@")
        if name not in NAMES:
            raise _wrong(path, "is not named after a prompt", f"Rename it, or move it: {', '.join(NAMES)}.")
        if at and (variant == STANDARD or not _VARIANT.fullmatch(variant)):
            hint = f"Call it {name}@short.md: small letters, digits, - and _, at most 32, and not {STANDARD!r}."
            raise _wrong(path, "has no usable name of a variant", hint)
        found.setdefault(name, {})[variant or STANDARD] = path
    return found


def _listed(folder: Path) -> list[Path]:
    try:
        listed = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        raise Misconfigured(
            f"The folder of prompts cannot be read: {_why(error)}.",
            hint="Set HEEDFUL_PROMPTS to a folder that is there, or to nothing.",
        ) from None
    if len(listed) > _MOST_FILES:
        raise Misconfigured(
            f"The folder of prompts holds more than {_MOST_FILES:,} files.",
            hint="Set HEEDFUL_PROMPTS to a folder that has only prompts.",
        )
    return listed


def _read(path: Path, name: str, variant: str) -> Prompt:
    try:
        if not path.is_file():  # to read a pipe may take for ever
            raise _wrong(path, "is not a file", "Put a text file there, or take it away.")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise _wrong(path, f"cannot be read: {_why(error)}", "Check its permissions.") from None
    if len(content) > _MOST_BYTES:
        raise _wrong(path, f"has more than {_MOST_BYTES:,} bytes", "Shorten it: it is sent with every question.")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        raise _wrong(path, "is not UTF-8", "Save it as UTF-8.") from None
    if not text:
        raise _wrong(path, "is empty", "Write the prompt into it, or take it away.")
    if _CONTROL.search(text):
        raise _wrong(path, "holds control characters", "Save it as plain text.")
    return Prompt(name, variant, text, _digest(text)[:8])


def _wrong(path: Path, what: str, hint: str) -> Misconfigured:
    return Misconfigured(f"The file of prompts {path.name!r} {what}.", hint=hint)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
