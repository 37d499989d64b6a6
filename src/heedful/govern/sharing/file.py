"""Reads an untrusted file: it is accepted completely, or rejected with a reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import date, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from heedful.errors import InvalidInput, InvalidLearnings, InvalidPayload
from heedful.govern.sharing.learnings import checked_learning
from heedful.govern.sharing.signing import require_genuine
from heedful.learnings.patterns.calibration import BINS
from heedful.records.clock import moment
from heedful.records.improvement import IMPROVEMENTS
from heedful.records.json import encode, parse
from heedful.records.names import PEOPLE_LIMIT, identifier, listed, whole
from heedful.records.sharing import FORMAT, VERSION, LearningExport, RuleDetail, SharedPattern, SharedRule
from heedful.records.suggestion import FOLDS

FILE_LIMIT = 64 * 1024 * 1024
_MOST = 100_000  # entries of a list
_MOST_LEARNINGS = 10_000
_DIFFERENCES = 6
_CONFIDENCE = 7  # numbers: a bin, a group, and five sums


def checksum(document: Mapping[str, Any]) -> str:
    """Over everything but the checksum and the signature, independent of order and spacing."""
    content = {name: _same(value) for name, value in document.items() if name not in ("checksum", "signature")}
    return sha256(encode(content, "the file").encode()).hexdigest()


def _same(value: Any) -> Any:
    """Some programs write 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _same(inner) for name, inner in value.items()}
    return [_same(inner) for inner in value] if isinstance(value, list | tuple) else value


def read(path: str | os.PathLike[str]) -> Any:
    """The parsed JSON of a file; `checked` validates that it is an export of learnings."""
    try:
        with Path(path).open("rb") as file:
            return parsed(file.read(FILE_LIMIT + 1), str(path))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", hint="Check the name of the file.") from None


def parsed(content: bytes, name: str) -> Any:
    if len(content) > FILE_LIMIT:
        raise _refused(f"{name} is too large.", "A file of learnings has a few megabytes at most.")
    try:
        return parse(content)
    except InvalidPayload as error:
        raise _refused(f"{name} is damaged: {error.message}", "Ask for the file again.") from None


def checked(document: object, trusted: Sequence[str] | None) -> LearningExport:
    if isinstance(document, LearningExport):
        document = document.document()
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise _refused("It is not a file of learnings.", "Export one with `heedful export`.")
    _require_version(document.get("version"))
    try:
        fits = document.get("checksum") == checksum(document)
        export = _export(document) if fits else None
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        what = error.message if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
        raise _refused(f"Its content is invalid. {what}", "Export it again.") from None
    if export is None:
        raise _refused("Its checksum does not match: the file is damaged or was changed.", "Ask for the file again.")
    _require_trust(export, trusted)
    return export


def _require_version(version: object) -> None:
    if type(version) is not int or version < 1:
        raise _refused(f"Its version is {version!r}.", "Export it again.")
    if version < VERSION:
        raise _refused(f"Its version {version} is no longer supported.", "Export it again with this heedful.")
    if version > VERSION:
        raise _refused(
            f"Its version is {version}; this heedful supports versions up to {VERSION}.", "Run: pip install -U heedful"
        )


def _require_trust(export: LearningExport, trusted: Sequence[str] | None) -> None:
    if export.signature is not None:
        require_genuine(export.checksum, export.signature)
    if trusted is None:
        return
    keys = listed(trusted, "trusted")
    if export.signature is None:
        raise _refused("It is not signed.", "Ask for a signed file, or drop the list of trusted keys.")
    if export.signature.public_key not in keys:
        raise _refused(
            f"It is signed by {export.signature.public_key}.", "This key is not in the list of trusted keys."
        )


def _export(document: Mapping[str, Any]) -> LearningExport:
    export: LearningExport = _value(LearningExport, document, "the file")
    whole(export.min_people, "min_people", PEOPLE_LIMIT)
    for pattern in export.patterns:
        _require_pattern(pattern)
    for name, rule in ({} if export.statistics is None else export.statistics.by_rule).items():
        _require_rule(name, rule)
    if len(export.learnings) > _MOST_LEARNINGS:
        raise ValueError(f"more than {_MOST_LEARNINGS:,} learnings")
    return replace(export, learnings=tuple(map(checked_learning, export.learnings)))


def _require_pattern(pattern: SharedPattern) -> None:
    if pattern.accepted + pattern.modified + pattern.rejected != pattern.count:
        raise ValueError("the decisions about a pattern do not add up")
    if pattern.differences is not None and len(pattern.differences) > _DIFFERENCES:
        raise ValueError("a text has too many differences")


def _require_rule(name: str, rule: SharedRule) -> None:
    if name != rule.rule_id:
        raise ValueError("a rule stands under the name of another")
    if rule.accepted + rule.modified + rule.rejected + rule.skipped != rule.feedback_count:
        raise ValueError("the decisions about a rule do not add up")
    detail = rule.detail or RuleDetail((), (), ())
    if any(len(one) != _CONFIDENCE or one[0] >= BINS or one[1] >= FOLDS for one in detail.confidences):
        raise ValueError("confidences are counted in another way")
    if any(one.kind not in IMPROVEMENTS for one in detail.modifications):
        raise ValueError("suggestions are improved in an unknown way")


# Any value, by the type that the records say it has


def _value(hint: Any, value: Any, name: str) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return parts[1].parse(value)
    if origin in (Union, UnionType):  # with None
        return None if value is None else _value(parts[0], value, name)
    if origin is Literal:
        return _require(value in parts, value, name)
    if origin in _CONTAINERS:
        return _CONTAINERS[origin](parts, value, name)
    return _record(hint, value, name) if is_dataclass(hint) else _LEAVES[hint](value, name)


def _tuple(parts: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    items = _require(isinstance(value, list) and len(value) <= _MOST, value, name)
    kinds = [parts[0]] * len(items) if parts[-1] is ... else parts
    return tuple(_value(kind, item, name) for kind, item in zip(kinds, items, strict=True))


def _mapping(parts: tuple[Any, ...], value: Any, name: str) -> dict[str, Any]:
    entries = _require(isinstance(value, Mapping) and len(value) <= _MOST, value, name)
    return {key: _value(parts[1], inner, key) for key, inner in entries.items()}


def _record(kind: Any, value: Any, name: str) -> Any:
    _require(isinstance(value, Mapping), value, name)
    given = {
        field.name: _value(hint, value[field.name], field.name)
        for field, hint in _typed(kind)
        if field.name in value or field.default is MISSING
    }
    return kind(**given)


@cache
def _typed(kind: Any) -> list[tuple[Any, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    return [(field, hints[field.name]) for field in fields(kind)]


def _require(holds: bool, value: Any, name: str) -> Any:
    if not holds:
        raise ValueError(f"{name} is of another type, or too long")
    return value


def _count(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError(f"{name} is {value!r}")
    return value


def _share(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}")
    return float(value)


_CONTAINERS: dict[Any, Callable[[tuple[Any, ...], Any, str], Any]] = {tuple: _tuple, Mapping: _mapping}
_LEAVES: dict[Any, Callable[[Any, str], Any]] = {
    str: identifier,
    int: _count,
    float: _share,
    bool: lambda value, name: _require(isinstance(value, bool), value, name),
    date: lambda value, _: date.fromisoformat(value),
    datetime: moment,
    Any: lambda value, _: value,
}


def _refused(why: str, hint: str) -> InvalidLearnings:
    return InvalidLearnings(f"Nothing was imported. {why}", hint=hint)
