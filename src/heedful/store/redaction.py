"""Redaction: the arguments of every operation come through here before it sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from heedful.errors import InvalidId
from heedful.operations.operation import Operation, SensitiveField
from heedful.text.redaction import Sanitiser, may_hold_secret, secret_types

if TYPE_CHECKING:
    from heedful.store import Store

_LOOSE = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
_DEEPEST = 250  # levels: what is nested deeper is refused as no JSON by whoever writes it down
_BY_NAME = tuple(f"[{type}:" for type in ("PASSWORD", "SECRET"))


class Redaction:
    """Of one organisation. It implements `operations.redactor.Redactor`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def arguments(self, operation: Operation, given: Mapping[str, Any]) -> Mapping[str, Any]:
        personal = operation.redact and self._store.redacts_personal_data()
        if not personal and not _is_suspicious(given):
            return given
        for name, field in operation.fields.items():
            if field is SensitiveField.IDENTIFIER and given.get(name) is not None:
                self.refuse(given[name], name)
        if not operation.redact:
            return given
        texts = {
            name: given[name]
            for name, field in operation.fields.items()
            if field is SensitiveField.TEXT and name in given
        }
        return {**given, **_Cleaning(self._sanitiser(personal)).all(texts)}

    def is_harmless(self, given: Sequence[object]) -> bool:
        return not self._store.redacts_personal_data() and not _is_suspicious(given)

    def texts(self, *texts: str) -> tuple[str, ...]:
        personal = self._store.redacts_personal_data()
        if not personal and not any(map(may_hold_secret, texts)):
            return texts
        return tuple(_Cleaning(self._sanitiser(personal)).all(list(texts)))

    def without(self, text: str, secret: str) -> str:
        return text.replace(secret, self._sanitiser(personal=False).placeholder("SECRET", secret))

    def refuse(self, value: object, name: str) -> None:
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str) and (types := secret_types(one)):
                raise InvalidId(
                    f"{name} holds a secret ({', '.join(types)}).",
                    hint="Secrets are never stored. Use another id or name, and revoke the secret if it is a real one.",
                )

    def _sanitiser(self, personal: bool) -> Sanitiser:
        digest = self._store.secret.digest
        return Sanitiser(lambda value: digest("placeholder", "", value), personal=personal)


class _Cleaning:
    """Of what is handed in together: a password that one part tells is taken out of the others too."""

    def __init__(self, sanitiser: Sanitiser) -> None:
        self._sanitiser = sanitiser

    def all(self, values: Any) -> Any:
        cleaned = self._within(values, None, 0)
        # A second look, because what comes first may hold what only later is told to be a password.
        return self._within(cleaned, None, 0) if self._sanitiser.knows_passwords else cleaned

    def _within(self, value: Any, name: str | None, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value, name)
        if depth > _DEEPEST:
            return value
        if isinstance(value, Mapping):
            return {self._key(key): self._within(inner, _named(key), depth + 1) for key, inner in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._within(inner, name, depth + 1) for inner in value)
        if type(value) is int and name is not None:
            written = self._text(str(value), name)
            return value if written == str(value) else written
        return value

    def _key(self, key: Any) -> Any:
        return self._text(key, None) if isinstance(key, str) else key

    def _text(self, text: str, name: str | None) -> str:
        if name is not None:
            text = self._assigned(text, name)
        return self._sanitiser.clean(text)

    def _assigned(self, text: str, name: str) -> str:
        """A field's name may tell that all of its value is a secret, whatever the value looks like."""
        before, after = f'"{name}": "', '"'
        cleaned = self._sanitiser.clean(f"{before}{text}{after}")
        if not (cleaned.startswith(before) and cleaned.endswith(after)):
            return text
        value = cleaned[len(before) : -len(after)]
        if value.startswith(_BY_NAME) and not text.startswith(_BY_NAME):
            return value[: value.index("]") + 1]
        return value


def _named(key: object) -> str | None:
    return key if isinstance(key, str) and '"' not in key else None


def _is_suspicious(given: object) -> bool:
    try:
        return may_hold_secret(orjson.dumps(given, default=repr, option=_LOOSE))
    except (TypeError, ValueError, RecursionError):
        return True  # broken Unicode, or no JSON: whoever writes it down will tell
