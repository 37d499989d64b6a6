"""Limits the size of payloads: when before and after are too large, unchanged parts are removed first.

`meta["cut"]` lists what was removed or shortened, with a digest of the whole, so that the same event sent again is
still recognised.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.errors import InvalidPayload, PayloadTooLarge
from heedful.records.json import Json, decode, encode

PAYLOAD_LIMIT = 10 * 1024
META_LIMIT = 10 * 1024
_SURELY_SMALL = PAYLOAD_LIMIT // 4  # no text has more than four bytes a character
_INPUT_LIMIT = 64 * 1024 * 1024
_CONTEXT_CHARACTERS = 80  # short unchanged values identify the line, field or document, and stay
_NOTES = 20
_SHORTENINGS = ((500, 100), (200, 30), (80, 10), (40, 3))  # characters per text, items per list; the first that fits


class Payload(NamedTuple):
    before: str
    after: str
    meta: str


class _Cuts:
    """Notes on removed parts, by path."""

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}

    def note(self, path: str, what: str) -> None:
        self.notes[path or "/"] = what

    def summary(self) -> dict[str, str]:
        first = dict(list(self.notes.items())[:_NOTES])
        rest = len(self.notes) - len(first)
        return {path[:200]: what for path, what in first.items()} | ({"…": f"{rest} more"} if rest else {})


def bounded(before: Json | None, after: Json | None, meta: Json | None) -> tuple[str, str, str]:
    """before, after and meta as canonical JSON within the size limits."""
    texts = _text(before, "before"), _text(after, "after"), _text(meta, "meta")
    if len(texts[0]) + len(texts[1]) + len(texts[2]) <= _SURELY_SMALL:
        return texts
    payload = Payload(*texts)
    if _size(payload.meta) > META_LIMIT:
        raise PayloadTooLarge(
            f"meta has {_size(payload.meta):,} bytes; {META_LIMIT:,} are allowed.",
            hint="Keep ids and short notes in meta, and documents in your own storage.",
        )
    if _size(payload.before) <= PAYLOAD_LIMIT and _size(payload.after) <= PAYLOAD_LIMIT:
        return payload
    return _cut(payload)


def _text(value: Json | None, name: str) -> str:
    if value is None:
        return "{}"
    if isinstance(value, dict):
        return encode(value, name)
    if isinstance(value, Mapping):
        return encode(dict(value), name)
    raise InvalidPayload(
        f"{name} must be a dict, not {type(value).__name__}.", hint=f"Name what the value is: {name}={{'value': …}}."
    )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _cut(payload: Payload) -> Payload:
    if _size(payload.before) + _size(payload.after) > _INPUT_LIMIT:
        raise _too_large(payload)
    before, after, meta = (decode(text) for text in payload)
    cuts = _Cuts()
    before, after = _changed(before, after, "", cuts) or (before, after)
    shortened = _shortened(before, after, cuts)
    if shortened is None:
        raise _too_large(payload)
    if "cut" in meta:
        raise InvalidPayload(
            "before and after are too large, and meta already has a 'cut' to say what was left out.",
            hint="Rename that key in meta, or send smaller payloads.",
        )
    meta["cut"] = {
        "left_out": cuts.summary(),
        "bytes": {"before": _size(payload.before), "after": _size(payload.after)},
        "digest": blake2b((payload.before + payload.after).encode(), digest_size=16).hexdigest(),
    }
    return Payload(*shortened, encode(meta, "meta"))


def _changed(before: Any, after: Any, path: str, cuts: _Cuts) -> tuple[Any, Any] | None:
    """Both sides without their equal parts, or None if nothing differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        return _changed_members(before, after, path, cuts)
    if isinstance(before, list) and isinstance(after, list):
        return _changed_items(before, after, path, cuts)
    same = type(before) is type(after) and before == after
    return None if same else (before, after)


def _changed_members(before: Json, after: Json, path: str, cuts: _Cuts) -> tuple[Any, Any] | None:
    kept_before, kept_after, inner = dict(before), dict(after), _Cuts()
    differs = before.keys() != after.keys()
    for key in before.keys() & after.keys():
        change = _changed(before[key], after[key], f"{path}/{key}", inner)
        if change is not None:
            differs = True
            kept_before[key], kept_after[key] = change
        elif not _is_context(before[key]):
            del kept_before[key], kept_after[key]
            inner.note(f"{path}/{key}", "unchanged")
    if not differs:
        return None
    cuts.notes |= dict(sorted(inner.notes.items()))
    return kept_before, kept_after


def _changed_items(before: list[Any], after: list[Any], path: str, cuts: _Cuts) -> tuple[Any, Any] | None:
    """Compares lists of equal length item by item; others lose their common start and end."""
    if len(before) == len(after):
        inner = _Cuts()
        changes = {
            place: change
            for place, (old, new) in enumerate(zip(before, after, strict=True))
            if (change := _changed(old, new, f"{path}/{place}", inner)) is not None
        }
        if not changes:
            return None
        if len(changes) < len(before):
            places = ", ".join(map(str, list(changes)[:_NOTES])) + ("…" if len(changes) > _NOTES else "")
            cuts.note(path, f"{len(changes)} changed items of {len(before)}: {places}")
        cuts.notes |= inner.notes
        return [old for old, _ in changes.values()], [new for _, new in changes.values()]
    start = 0
    while start < min(len(before), len(after)) and _changed(before[start], after[start], "", _Cuts()) is None:
        start += 1
    end = 0
    while (
        end < min(len(before), len(after)) - start and _changed(before[-1 - end], after[-1 - end], "", _Cuts()) is None
    ):
        end += 1
    if start or end:
        cuts.note(path, f"without {start} equal items before and {end} after")
    return before[start : len(before) - end], after[start : len(after) - end]


def _is_context(value: Any) -> bool:
    return not isinstance(value, dict | list) and len(str(value)) <= _CONTEXT_CHARACTERS


def _shortened(before: Any, after: Any, cuts: _Cuts) -> tuple[str, str] | None:
    """Both sides as JSON, with long texts and lists shortened no more than needed."""
    texts = encode(before), encode(after)
    if _fit(texts):
        return texts
    for characters, items in _SHORTENINGS:
        trial = _Cuts()
        texts = (
            encode(_short(before, "before", characters, items, trial)),
            encode(_short(after, "after", characters, items, trial)),
        )
        if _fit(texts):
            cuts.notes |= trial.notes
            return texts
    return None


def _fit(texts: tuple[str, str]) -> bool:
    return all(_size(text) <= PAYLOAD_LIMIT for text in texts)


def _short(value: Any, path: str, characters: int, items: int, cuts: _Cuts) -> Any:
    if isinstance(value, str) and len(value) > characters:
        cuts.note(path, f"the first {characters} of {len(value)} characters")
        return value[: characters - 1] + "…"
    if isinstance(value, list):
        if len(value) > items:
            cuts.note(path, f"the first {items} of {len(value)} items")
        return [_short(item, f"{path}/{n}", characters, items, cuts) for n, item in enumerate(value[:items])]
    if isinstance(value, dict):
        return {key: _short(item, f"{path}/{key}", characters, items, cuts) for key, item in value.items()}
    return value


def _too_large(payload: Payload) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"before has {_size(payload.before):,} bytes and after {_size(payload.after):,}; even without what did"
        f" not change they do not fit into {PAYLOAD_LIMIT:,} each.",
        hint="Send only the fields that changed, with an id of where they belong.",
    )
