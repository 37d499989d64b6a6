"""What a model wrote, as the object that it was asked for."""

from __future__ import annotations

from typing import Any

import orjson

from heedful.errors import BadAnswer, ProviderRefused
from heedful.providers.exchange import failed
from heedful.records.schema import Schema, complaint


def read(text: str, schema: Schema, *, name: str, tokens: int) -> dict[str, Any]:
    try:
        value = orjson.loads(_json_in(text))
    except orjson.JSONDecodeError:
        raise bad(name, "it is not JSON", tokens) from None
    wrong = complaint(value, schema)
    if wrong is not None or not isinstance(value, dict):
        raise bad(name, wrong or "it is not an object", tokens)
    return value


def _json_in(text: str) -> str:
    """Without what models like to put around it: a fence, a sentence before, a sentence after."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1]


def bad(name: str, wrong: str, tokens: int) -> BadAnswer:
    hint = "Ask again, or another model."
    return failed(BadAnswer, f"The answer of {name} cannot be used: {wrong}.", hint=hint, tokens=tokens)


def cut_off(name: str, tokens: int) -> BadAnswer:
    return bad(name, "it was too long and is cut off", tokens)


def declined(name: str, tokens: int) -> ProviderRefused:
    return failed(ProviderRefused, f"{name} declined to answer.", hint="Ask another model.", tokens=tokens)
