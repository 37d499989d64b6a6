"""Events as lines of JSON, in files and streams."""

from __future__ import annotations

from typing import Any

from heedful.errors import InvalidInput, InvalidPayload
from heedful.records.json import parse

FIELDS = frozenset({"kind", "actor", "entity", "layout", "before", "after", "meta", "at", "id"})
_IGNORED = frozenset({"org", "seq"})  # what one log lists can be recorded in another
_BOM = b"\xef\xbb\xbf"


def act(line: bytes) -> dict[str, Any]:
    parsed = parse(line.removeprefix(_BOM), "the line")
    if not isinstance(parsed, dict):
        raise InvalidPayload("The line is not a JSON object.", hint='Write {"kind": "…", "actor": "…", …}.')
    act = {name: value for name, value in parsed.items() if value is not None and name not in _IGNORED}
    if "kind" not in act:
        raise InvalidInput("The line has no kind.", hint='Add "kind": "MAPPING_CONFIRMED" or the like.')
    unknown = act.keys() - FIELDS
    if unknown:
        raise InvalidInput(
            f"The line has unknown fields: {', '.join(sorted(unknown))}.",
            hint=f"Known fields: {', '.join(sorted(FIELDS))}. Put the rest into meta.",
        )
    return act
