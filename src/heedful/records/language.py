"""Language models behind one method: messages and a form in, the form filled in out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from heedful.records.form import AnswerForm

F = TypeVar("F", bound="AnswerForm")


class ModelMessage(NamedTuple):
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[F]):
    value: F
    model: str
    """The name of the model that gave it."""
    tokens: int
    """In and out, with those of an answer that had to be asked for again; as the server counted, or estimated."""


class LanguageModel(Protocol):
    """May be asked by several threads at once."""

    @property
    def name(self) -> str: ...

    def answer(
        self,
        instructions: str,
        messages: Sequence[ModelMessage],
        form: type[F],
        *,
        most_tokens: int = 1_000,
    ) -> ModelAnswer[F]:
        """The form, which is a pydantic model, filled in; or a ProviderError. The last message is the user's.

        `most_tokens` is for all that the model writes, its thinking included. Not inside a transaction: it can take
        as long as a minute, and what was spent must not be undone.
        """


_WHY = {
    "provider_timeout": "it did not answer in time",
    "provider_unreachable": "it could not be reached",
    "key_refused": "its server refused the key",
    "no_credit": "the account has no credit left",
    "unknown_model": "its server knows no model of that name",
    "provider_refused": "it did not take the request",
    "bad_answer": "its answer could not be used",
    "budget_spent": "the budget of the day is used up",
    "too_long": "the text is too long for it",
    "in_transaction": "it is not asked inside a transaction",
}


def why_unanswered(code: str) -> str:
    """Why a language model was not heard, for people: of an error's code, or of a reason not to ask."""
    return _WHY.get(code, "it failed")


class Limits(NamedTuple):
    """What an organisation may spend on a day of UTC."""

    calls: int
    tokens: int


class Reserved(NamedTuple):
    """What was set aside, and on which day: a call may end on the next one."""

    day: date
    tokens: int


class Ledger(Protocol):
    """Where an organisation's spending is written down before it happens."""

    def reserve(self, calls: int, tokens: int, limits: Limits) -> Reserved:
        """Set it aside, or raise BudgetSpent if that would exceed the limits."""

    def settle(self, reserved: Reserved, used_tokens: int) -> None:
        """Put what was really used in the place of what was set aside."""


def size(*texts: str) -> int:
    """The bytes of texts: no tokeniser makes more tokens than that of them."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def estimate(*texts: str) -> int:
    """About as many tokens as texts have, for servers that do not count."""
    return size(*texts) // 3 + 1


def sendable(text: str) -> str:
    """Half characters, which some programs cut texts into, cannot be sent."""
    return text.encode("utf-8", "replace").decode()
