"""A file of learnings: how it is written, and how one is read that may be damaged, changed or of ill will.

It is taken whole or not at all; whatever is wrong with it, the error tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from heedful.errors import InvalidInput, InvalidLearnings
from heedful.govern.signing import require_genuine
from heedful.model.clock import moment
from heedful.model.fix import PATTERN_BYTES
from heedful.model.json import encode
from heedful.model.names import ID_LIMIT, PEOPLE_LIMIT, identifier, listed, whole
from heedful.model.sharing import FORMAT, VERSION, LearningExport, SharedPattern, SharedRule, Signature
from heedful.model.words import canonical

_MOST = 100_000  # patterns or rules in one file
_DIFFERENCES = 6
_TYPES = ("accepted", "rejected", "mixed")


def document(learnings: LearningExport) -> dict[str, Any]:
    """As the file has it."""
    told = asdict(learnings)
    told["exported_at"] = learnings.exported_at.isoformat().replace("+00:00", "Z")
    told["patterns"], told["statistics"] = list(told["patterns"]), list(told["statistics"])
    for pattern in told["patterns"]:
        if pattern["differences"] is not None:
            pattern["differences"] = [list(pair) for pair in pattern["differences"]]
    if told["signature"] is None:
        del told["signature"]
    return told


def checksum(told: Mapping[str, Any]) -> str:
    """Over all but the checksum and the signature, whatever the order and spacing."""
    content = {name: _same(value) for name, value in told.items() if name not in ("checksum", "signature")}
    return sha256(encode(content, "the file").encode()).hexdigest()


def _same(value: Any) -> Any:
    """Some programs write 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _same(inner) for name, inner in value.items()}
    return [_same(inner) for inner in value] if isinstance(value, list | tuple) else value


def checked(told: object, trusted: Sequence[str] | None) -> LearningExport:
    """The learnings of a file; or an error that tells why none of it is taken."""
    if isinstance(told, LearningExport):
        told = document(told)
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise _refused("It is not a file of learnings.", "Export one with `heedful export`.")
    version = told.get("version")
    if type(version) is not int or version < 1:
        raise _refused(f"Its version is {version!r}.", "Export it again.")
    if version > VERSION:
        raise _refused(
            f"It has version {version}; this heedful knows versions up to {VERSION}.", "Run: pip install -U heedful"
        )
    try:
        fits = told.get("checksum") == checksum(told)
        learnings = _read(told) if fits else None
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        what = error.message if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
        raise _refused(f"It does not hold what it should. {what}", "Export it again.") from None
    if learnings is None:
        raise _refused("Its checksum does not fit: it is damaged or was changed.", "Ask for the file again.")
    _require_trust(learnings, trusted)
    return learnings


def _require_trust(learnings: LearningExport, trusted: Sequence[str] | None) -> None:
    if learnings.signature is not None:
        require_genuine(learnings.checksum, learnings.signature)
    if trusted is None:
        return
    keys = listed(trusted, "trusted")
    if learnings.signature is None:
        raise _refused("It is not signed.", "Ask for a signed one, or do without the list of trusted keys.")
    if learnings.signature.public_key not in keys:
        raise _refused(f"It is signed by {learnings.signature.public_key}.", "That is not a key you trust.")


def _read(told: Mapping[str, Any]) -> LearningExport:
    patterns, rules, signature = _list(told["patterns"]), _list(told["statistics"]), told.get("signature")
    if max(len(patterns), len(rules)) > _MOST:
        raise ValueError(f"more than {_MOST:,} entries")
    return LearningExport(
        format=FORMAT,
        version=VERSION,
        exported_at=moment(told["exported_at"], "exported_at"),
        min_people=whole(told["min_people"], "min_people", PEOPLE_LIMIT),
        patterns=tuple(_pattern(one) for one in patterns),
        statistics=tuple(_rule(one) for one in rules),
        checksum=str(told["checksum"]),
        signature=None if signature is None else _signature(signature),
    )


def _pattern(told: Mapping[str, Any]) -> SharedPattern:
    counts = {name: _count(told[name], name) for name in ("accepted", "modified", "rejected", "people", "count")}
    if counts["accepted"] + counts["modified"] + counts["rejected"] != counts["count"]:
        raise ValueError("the decisions about a pattern do not add up")
    words = _pair([told["original_pattern"], told["suggested_pattern"]])
    differences = None if told["differences"] is None else tuple(map(_pair, _list(told["differences"])))
    if differences is not None and len(differences) > _DIFFERENCES:
        raise ValueError("a text has too many differences")
    return SharedPattern(
        rule_id=identifier(told["rule_id"], "rule_id"),
        pattern_type=_type(told["pattern_type"]),
        original_pattern=words[0],
        suggested_pattern=words[1],
        differences=differences,
        success_rate=_share(told["success_rate"]),
        **counts,
    )


def _rule(told: Mapping[str, Any]) -> SharedRule:
    return SharedRule(
        rule_id=identifier(told["rule_id"], "rule_id"),
        rule_name=identifier(told["rule_name"], "rule_name"),
        **{name: _count(told[name], name) for name in ("accepted", "modified", "rejected", "people")},
    )


def _signature(told: Mapping[str, Any]) -> Signature:
    return Signature(**{name: _line(told[name]) for name in ("algorithm", "public_key", "value")})


def _words(text: object) -> str:
    if not isinstance(text, str) or len(text.encode()) > PATTERN_BYTES:
        raise ValueError("a pattern is not a short text")
    if not text.replace("\u200c", "").replace("\u200d", "").isprintable():
        raise ValueError("a pattern holds characters that cannot be seen")
    return text


def _list(told: object) -> list[Any]:
    if not isinstance(told, list):
        raise ValueError(f"{type(told).__name__} is not a list")  # noqa: TRY004 - all that is wrong with it is one thing
    return told


def _type(told: object) -> str:
    if told not in _TYPES:
        raise ValueError("a pattern is of an unknown type")
    return str(told)


def _share(told: object) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= 1:
        raise ValueError(f"a rate is {told!r}")
    return float(told)


def _pair(told: object) -> tuple[str, str]:
    """As words are counted here; other ways to write them would be other patterns that look the same."""
    before, after = _list(told)
    return canonical(_words(before), _words(after))


def _line(text: object) -> str:
    if not isinstance(text, str) or len(text) > ID_LIMIT:
        raise ValueError("the signature is not one")
    return text


def _count(value: object, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError(f"{name} is {value!r}")
    return value


def _refused(why: str, hint: str) -> InvalidLearnings:
    return InvalidLearnings(f"Nothing was imported. {why}", hint=hint)
