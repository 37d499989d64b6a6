"""Parses the answer of a model into its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heedful.errors import BadAnswer, ProviderRefused
from heedful.providers.exchange import failed
from heedful.records.language import F, ModelAnswer

if TYPE_CHECKING:
    from pydantic import ValidationError


def read(text: str, form: type[F], *, name: str, tokens: int) -> F:
    from pydantic import ValidationError

    try:
        return form.model_validate_json(_json_in(text))
    except ValidationError as error:
        raise bad(name, complaint(error), tokens) from None


def complaint(error: ValidationError) -> str:
    """The first validation error. It quotes nothing of the answer, so that it may be logged."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "it is not JSON"
    if first["type"] == "extra_forbidden":  # the place is the name that the model made up
        return "it has unexpected fields"
    place = ".".join(map(str, first["loc"]))
    return f"{place or 'it'}: {first['msg']}"


def finished(text: str, form: type[F], *, name: str, tokens: int, refused: bool, truncated: bool) -> ModelAnswer[F]:
    """The answer of a model, unless the model refused, or its text is cut off or empty."""
    if refused:
        raise failed(ProviderRefused, f"{name} declined to answer.", hint="Ask another model.", tokens=tokens)
    if truncated:
        raise bad(name, "it was too long and is cut off", tokens)
    if not text:
        raise bad(name, "it is empty", tokens)
    return ModelAnswer(read(text, form, name=name, tokens=tokens), name, tokens)


def _json_in(text: str) -> str:
    """Removes what models add around the JSON: a fence, a sentence before, a sentence after."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1]


def bad(name: str, wrong: str, tokens: int) -> BadAnswer:
    hint = "Ask again, or another model."
    return failed(BadAnswer, f"The answer of {name} cannot be used: {wrong}.", hint=hint, tokens=tokens)
