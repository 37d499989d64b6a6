"""What every adapter does: composes a context for a call, remembers which answer it led to, and reports outcomes.

heedful never stops the application. If it fails, the call goes on without a context, and one warning is logged until
it works again. Errors of the application itself are never caught.
"""

from __future__ import annotations

import logging
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from threading import Lock
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from heedful.errors import HeedfulError, InvalidInput
from heedful.learnings.holdout import checked_share
from heedful.loop import Stages
from heedful.records.context import AnyTemplate, Context, Template
from heedful.records.correction import LONG_LIMIT
from heedful.records.names import TOKENS_LIMIT, identifier, whole
from heedful.records.outcome import Outcome
from heedful.text.fence import without_own

_LOG = logging.getLogger("heedful.adapters")
EMPTY = Context("", (), 0)
_REMEMBERED = 1_000  # turns, and answers, so that a tool loop keeps its context

K = TypeVar("K", str, bytes)
T = TypeVar("T")


class ContextOptions(TypedDict, total=False):
    """Options of `apply.context` that an adapter passes on."""

    agent: str | None
    user: str | None
    about: str | None
    rule: str | None
    document: str | None
    unit: str | None
    budget: int
    template: AnyTemplate
    hold_out: float


class OutcomeReport(TypedDict, total=False):
    """Arguments of `measure.outcome`."""

    success: bool | None
    score: float | None
    accepted: bool | None
    output: str | None
    edited_to: str | None
    note: str | None
    actor: str | None


class ChatQuery(NamedTuple):
    """What a person asked for in a call of a language model."""

    text: str = ""
    turn: bytes | None = None
    """Stands for the conversation up to what was asked; None if there is nothing to go on with."""
    goes_on: bool = False
    """Whether the model was asked this before and goes on, for example with the results of tools."""
    previous: str | None = None
    """The id of the answer that this call goes on with."""


class Contexts:
    """Contexts for the calls of one application, with the loop or client and the options given once."""

    def __init__(self, loop: Stages, **options: Unpack[ContextOptions]) -> None:
        if not isinstance(loop, Stages):
            raise InvalidInput(
                f"An adapter needs a loop or a client, not {type(loop).__name__}.",
                hint="Pass heedful.open(…).org(…) or heedful.Client(…), also in async code: it is called in threads.",
            )
        _check(options)
        self._loop = loop
        self._options = options
        self._by_answer: dict[int, Context] = {}
        self._by_turn: OrderedDict[bytes, Context] = OrderedDict()
        self._by_id: OrderedDict[str, Context] = OrderedDict()
        """By the id of an answer."""
        self._lock = Lock()
        self._failing: set[str] = set()

    def compose(self, query: ChatQuery, unit: str | None = None) -> Context:
        """The context for a query; empty if nothing is relevant or heedful fails. A query that goes on keeps its own.
        `unit` is used unless the options name one."""
        if (known := self._known(query)) is not None:
            return known
        text = without_own(query.text).strip()[:LONG_LIMIT]
        options: ContextOptions = self._options if unit is None else {"unit": unit, **self._options}
        context = self.attempt("context", lambda: self._loop.apply.context(text, **options)) or EMPTY
        if query.turn is not None:
            self._keep(self._by_turn, query.turn, context)
        return context

    def _known(self, query: ChatQuery) -> Context | None:
        if query.goes_on and query.turn is not None:
            return self._by_turn.get(query.turn)
        return self._by_id.get(query.previous) if query.previous is not None else None

    def answered(self, context: Context, answer: object, read: Callable[[Any], str]) -> None:
        """Remember which context an answer had, and check at once what of it the answer follows."""
        self.remember(context, answer)
        if text := self.attempt("output", lambda: read(answer)):
            self.check(context, text)

    def remember(self, context: Context, answer: object) -> None:
        if isinstance(named := getattr(answer, "id", None), str):
            self._keep(self._by_id, named, context)
        try:
            forgotten = weakref.finalize(answer, self._by_answer.pop, id(answer), None)
        except TypeError:
            return  # text, for example, cannot be told apart
        forgotten.atexit = False
        self._by_answer[id(answer)] = context

    def check(self, context: Context, output: str) -> None:
        text = without_own(output).strip()[:LONG_LIMIT]
        if context.id is not None and text:
            self.attempt("outcome", lambda: self._loop.measure.outcome(context.id, output=text))

    def find(self, answer: object) -> Context | None:
        """The context an answer had, given the answer or its id."""
        if (context := self._by_answer.get(id(answer))) is not None:
            return context
        named = answer if isinstance(answer, str) else getattr(answer, "id", None)
        return self._by_id.get(named) if isinstance(named, str) else None

    def of(self, answer: object) -> str | None:
        """The id of the context an answer had, to report the outcome later or elsewhere; None if it was empty."""
        if (context := self.find(answer)) is not None:
            return context.id
        if isinstance(answer, str):
            return answer
        raise InvalidInput(
            f"This {type(answer).__name__} had no context of this adapter.",
            hint="Pass what the wrapped call returned, or the id of a context.",
        )

    def outcome(self, answer: object, **report: Unpack[OutcomeReport]) -> Outcome | None:
        """Report what came of an answer, as `measure.outcome` does; of the answer itself, or the id of its context."""
        _check_names(report, OutcomeReport, "measure.outcome")
        context = self.of(answer)
        if context is None:
            return None
        return self.attempt("outcome", lambda: self._loop.measure.outcome(context, **report), but=InvalidInput)

    def attempt(self, noun: str, work: Callable[[], T], but: type[HeedfulError] | tuple[()] = ()) -> T | None:
        """Do heedful's own work; None if it fails, which is logged once until it works again."""
        try:
            done = work()
        except but:
            raise
        except Exception as error:  # noqa: BLE001 - a bug in heedful must not stop the application either
            if noun not in self._failing:
                code = error.code if isinstance(error, HeedfulError) else type(error).__name__
                _LOG.warning("the application goes on without %s of heedful: %s", noun, code)
            self._failing.add(noun)
            return None
        self._failing.discard(noun)
        return done

    def _keep(self, where: OrderedDict[K, Context], key: K, context: Context) -> None:
        with self._lock:
            where[key] = context
            where.move_to_end(key)
            if len(where) > _REMEMBERED:
                where.popitem(last=False)


def _check(options: ContextOptions) -> None:
    """At once: when it is called, an application goes on without a context whatever is wrong."""
    _check_names(options, ContextOptions, "apply.context")
    for name in ("agent", "user", "about", "rule", "document", "unit"):
        if (value := options.get(name)) is not None:
            identifier(value, name)
    if "budget" in options:
        whole(options["budget"], "budget", TOKENS_LIMIT)
    if "template" in options:
        Template.of(options["template"])
    if "hold_out" in options:
        checked_share(options["hold_out"])


def _check_names(given: Mapping[str, object], known: type, method: str) -> None:
    names = list(known.__annotations__)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(names)}."
            raise InvalidInput(f"{method} has no argument {name!r}.", hint=hint)
