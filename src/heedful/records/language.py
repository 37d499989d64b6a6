"""The protocol of language models: takes messages and a form, returns the form filled in."""

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
    tokens: int
    """Input and output tokens, including retries; as reported by the server, or estimated."""


class LanguageModel(Protocol):
    """Must be thread-safe."""

    @property
    def name(self) -> str: ...

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        """Returns the form, a pydantic model, filled in; or raises a ProviderError. The last message is the user's.

        `most_tokens` limits all output of the model, including its thinking. Do not call it inside a transaction: it
        can take a minute, and a rollback must not undo what was spent.
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
    """Why a language model did not answer, in words: for an error code, or a reason not to call it."""
    return _WHY.get(code, "it failed")


class Limits(NamedTuple):
    """An organisation's daily budget, in UTC."""

    calls: int
    tokens: int


class Reserved(NamedTuple):
    """A reservation and its day: a call may end on the next one."""

    day: date
    tokens: int


class Ledger(Protocol):
    """Records an organisation's spending before it happens."""

    def reserve(self, calls: int, tokens: int, limits: Limits) -> Reserved:
        """Reserves an amount, or raises BudgetSpent if that would exceed the limits."""

    def settle(self, reserved: Reserved, used_tokens: int) -> None:
        """Replaces the reservation with the actual usage."""


def size(*texts: str) -> int:
    """The size of texts in bytes, an upper bound of their tokens."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def estimate(*texts: str) -> int:
    """An estimate of tokens, for servers that do not report them."""
    return size(*texts) // 3 + 1


def sendable(text: str) -> str:
    """Replaces lone surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
