"""The configured language models: with retries, fallback to the next model, and a budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf

import orjson

from heedful import errors
from heedful.providers.anthropic import AnthropicModel
from heedful.providers.endpoint import Endpoint, endpoint
from heedful.providers.openai import OpenAIModel
from heedful.providers.retries import RetryPolicy
from heedful.records.health import CheckResult, failure, ok, warning
from heedful.records.language import F, LanguageModel, Ledger, Limits, ModelAnswer, ModelMessage, size
from heedful.settings import Settings
from heedful.text.fence import line

_log = logging.getLogger(__name__)
_SETTING = "HEEDFUL_LLM"
_FRAME = 500  # tokens that a server may add to a request
_FRAME_OF_MESSAGE = 10
_WAYS = 4
_TEST = "This tests the connection. Answer with the object that is asked for."
_TEST_TOKENS = 300  # a model that thinks needs some


def chosen(settings: Settings) -> tuple[LanguageModel, ...]:
    """The models of HEEDFUL_LLM, in order; empty if it is not set. Organisations share them and their connections."""
    return tuple(_model(found) for found in _endpoints(settings))


def within_budget(
    models: Sequence[LanguageModel],
    ledger: Ledger,
    limits: Limits,
    retries: RetryPolicy | None = None,
    on_failure: Callable[[errors.ProviderError], object] = lambda _: None,
) -> LanguageModel:
    """One model for an organisation, with retries and a budget. Calls `on_failure` with every failure."""
    return FallbackModel(
        [BudgetedModel(model, ledger, limits) for model in models], retries or RetryPolicy(), on_failure
    )


class FallbackModel:
    """Retries when a server fails, once more when the answer is invalid, and then falls back to the next model."""

    def __init__(
        self,
        models: Sequence[LanguageModel],
        retries: RetryPolicy,
        on_failure: Callable[[errors.ProviderError], object] = lambda _: None,
    ) -> None:
        self._models = models
        self._retries = retries
        self._on_failure = on_failure
        self._away_until = -inf
        self._away: type[errors.ProviderUnreachable] = errors.ProviderUnreachable

    @property
    def name(self) -> str:
        return self._models[0].name

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        """A user is waiting: skips servers that could not be reached recently."""
        try:
            if self._retries.now() < self._away_until:
                raise self._away(
                    "No language model could be reached recently.", hint="They will be retried in a minute."
                )
            return self._first_answer(instructions, messages, form, most_tokens)
        except errors.ProviderError as error:
            if isinstance(error, errors.ProviderUnreachable) and self._retries.now() >= self._away_until:
                self._away_until, self._away = self._retries.now() + self._retries.rest, type(error)
            self._on_failure(error)
            raise

    def _first_answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], most_tokens: int
    ) -> ModelAnswer[F]:
        for model in self._models[:-1]:
            try:
                return self._ask(model, instructions, messages, form, most_tokens)
            except errors.BudgetSpent:
                raise
            except errors.ProviderError as error:
                _log.warning("falling back to the next language model: %s", error.message)
        return self._ask(self._models[-1], instructions, messages, form, most_tokens)

    def _ask(
        self, model: LanguageModel, instructions: str, messages: Sequence[ModelMessage], form: type[F], most_tokens: int
    ) -> ModelAnswer[F]:
        ask = partial(model.answer, messages=messages, form=form, most_tokens=most_tokens)
        try:
            return self._retries.call(partial(ask, instructions))
        except errors.BadAnswer as error:
            # In the instructions: many servers insist that user and assistant take turns in the messages.
            again = f"{instructions}\n\nThis is the second attempt. {line(error.message)} Answer as you are asked to."
            spoiled = error.tokens or 0
        answer = self._retries.call(partial(ask, again))
        return replace(answer, tokens=answer.tokens + spoiled)


class BudgetedModel:
    """Reserves the maximum cost of a request before it is sent, and records the actual cost afterwards."""

    def __init__(self, model: LanguageModel, ledger: Ledger, limits: Limits) -> None:
        self._model = model
        self._ledger = ledger
        self._limits = limits

    @property
    def name(self) -> str:
        return self._model.name

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        sent = size(
            instructions, orjson.dumps(form.model_json_schema()).decode(), *(message.text for message in messages)
        )
        most = sent + _FRAME + _FRAME_OF_MESSAGE * len(messages) + most_tokens
        reserved = self._ledger.reserve(1, most, self._limits)
        try:
            answer = self._model.answer(instructions, messages, form, most_tokens=most_tokens)
        except errors.ProviderError as error:
            if error.tokens is not None:  # if the cost is unknown, the reservation stays spent
                self._ledger.settle(reserved, error.tokens)
            raise
        self._ledger.settle(reserved, answer.tokens)
        return answer


def inspect(model: LanguageModel, ledger: Ledger, limits: Limits) -> CheckResult:
    """Checks that a model answers: one small request, or a few to find out what the server supports."""
    from heedful.records.form import AnswerForm  # noqa: PLC0415 - pydantic is slow to import

    class Presence(AnswerForm):
        here: bool

    asked = BudgetedModel(model, ledger, limits)
    for _ in range(_WAYS):
        try:
            asked.answer(_TEST, [ModelMessage("user", "Are you there?")], Presence, most_tokens=_TEST_TOKENS)
        except (errors.BudgetSpent, errors.BadAnswer) as error:
            return warning("language model", f"{model.name}: {error.message}", error.hint)
        except errors.ProviderError as error:
            if error.again and isinstance(error, errors.ProviderRefused):
                continue
            return failure("language model", f"{model.name}: {error.message}", error.hint)
        return ok("language model", f"{model.name} answers")
    return failure("language model", f"{model.name} rejected the request.", f"Try another model in {_SETTING}.")


def _model(found: Endpoint) -> LanguageModel:
    return AnthropicModel(found) if found.kind == "anthropic" else OpenAIModel(found)


def _endpoints(settings: Settings) -> list[Endpoint]:
    kinds = {written.partition(":")[0] for written in settings.llm}
    if len(kinds) > 1 and "compatible" not in kinds and (settings.llm_url or settings.llm_key):
        raise errors.Misconfigured(
            f"{_SETTING} names several providers: {_SETTING}_URL and {_SETTING}_KEY apply to one provider only.",
            hint="Set ANTHROPIC_API_KEY and OPENAI_API_KEY instead.",
        )
    return [_endpoint(written, settings, alone=len(kinds) == 1) for written in settings.llm]


def _endpoint(written: str, settings: Settings, *, alone: bool) -> Endpoint:
    """With several providers, URL and key apply to the compatible server only."""
    theirs = alone or written.startswith("compatible")
    own = {"anthropic": settings.anthropic_key, "openai": settings.openai_key}
    url, key = (settings.llm_url, settings.llm_key) if theirs else (None, None)
    found = endpoint(written, setting=_SETTING, url=url, key=key, key_of=own.get)
    return replace(found, seconds=max(1, settings.llm_seconds))
