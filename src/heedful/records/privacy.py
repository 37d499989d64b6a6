"""Privacy options: what an organisation stores of people's feedback, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from heedful.errors import InvalidInput
from heedful.records.json import decode, encode
from heedful.records.names import LIMIT_LIMIT, PEOPLE_LIMIT, whole
from heedful.records.period import span
from heedful.records.record import Record

PEOPLE = 3


@dataclass(frozen=True, slots=True)
class Privacy(Record):
    """Applied before anything is stored."""

    anonymize_users: bool = True
    """Replace people by pseudonyms, made with a secret of this installation."""
    store_original_text: bool = True
    """Otherwise texts become keyed digests: patterns are still found, but only those of at least `min_people` different
    people can be read."""
    redact_personal_data: bool = False
    """Redact e-mail addresses, names, telephone numbers and the like in events, decisions and corrections too. They are
    always redacted in conversations, and secrets everywhere."""
    max_data_age: str | None = "365d"
    """Older feedback is erased."""
    max_records: int | None = None
    """Beyond these, the oldest feedback is erased."""
    participate_in_team_learning: bool = True
    """Whether learnings may be exported and imported."""
    min_people: int = PEOPLE
    """How many different people must have done the same before it is shown or shared anonymously."""

    def __post_init__(self) -> None:
        for name in ("anonymize_users", "store_original_text", "redact_personal_data", "participate_in_team_learning"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(f"{name} is {getattr(self, name)!r}.", hint="Pass True or False.")
        if self.max_data_age is not None:
            span(self.max_data_age, "max_data_age")
        if self.max_records is not None:
            whole(self.max_records, "max_records", LIMIT_LIMIT)
        whole(self.min_people, "min_people", PEOPLE_LIMIT)

    @property
    def max_days(self) -> int | None:
        return None if self.max_data_age is None else span(self.max_data_age, "max_data_age")

    def text(self) -> str:
        return encode(self.to_dict())

    @classmethod
    def read(cls, text: str | None) -> Privacy:
        return _read(text)


@lru_cache(maxsize=256)
def _read(text: str | None) -> Privacy:
    return Privacy() if text is None else Privacy(**decode(text))


@dataclass(frozen=True, slots=True)
class Retained(Record):
    """The result of applying retention."""

    too_old: int
    too_many: int
    """How many were erased for either reason."""
    kept: int


@dataclass(frozen=True, slots=True)
class Clearing(Record):
    """What would be erased. Nothing happens until it is confirmed with the token."""

    records: int
    token: str
    """Valid for ten minutes. Events recorded meanwhile are not affected."""


@dataclass(frozen=True, slots=True)
class Cleared(Record):
    records: int
    scrubbed: bool
    """Whether it is erased from the disk as well, as far as the database can do that: a SQLite file contains no copy
    any more; PostgreSQL has vacuumed its tables, but overwrites the space only when it is reused. Otherwise a worker
    keeps trying."""
