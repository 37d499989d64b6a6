"""Language models of OpenAI, and of compatible servers: Ollama, llama.cpp, vLLM, gateways."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from heedful.providers.answer_parsing import finished
from heedful.providers.endpoint import Endpoint
from heedful.providers.exchange import counted, exchange
from heedful.records.language import F, ModelAnswer, ModelMessage, estimate, sendable

if TYPE_CHECKING:
    from openai import OpenAI

    from heedful.records.form import AnswerForm

_WAYS: tuple[str, ...] = ("json_schema", "json_object", "text")
"""Ways to request structured output, most reliable first. One that a server rejects is not tried there again."""

_ABOUT_WAY = ("response_format", "json_schema", "json_object", "schema", "grammar")


class OpenAIModel:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._ways = _WAYS
        self._frugal = endpoint.kind == "openai"

    @property
    def name(self) -> str:
        return self._endpoint.name

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        import openai

        way, frugal = self._ways[0], self._frugal
        asked = _asked(instructions, messages, None if way == "json_schema" else form)
        wanted: Any = form if way == "json_schema" else {"type": way}
        options = self._options(most_tokens, frugal=frugal)
        ask = self._client.chat.completions.with_streaming_response.parse
        body = exchange(
            openai,
            self._endpoint,
            lambda: ask(model=self._endpoint.model, messages=asked, response_format=wanted, **options),
            lambda said: self._adapt(said, way, frugal=frugal),
        )
        return self._answer(body, form, asked)

    def _options(self, most_tokens: int, *, frugal: bool) -> dict[str, Any]:
        if self._endpoint.kind == "compatible":
            # The newer name of the limit is unknown to many, who would then write without end.
            return {"max_tokens": most_tokens, "temperature": 0}
        little = {"reasoning_effort": "low"} if frugal else {}
        return {"max_completion_tokens": most_tokens, "store": False, **little}

    def _adapt(self, said: str, way: str, *, frugal: bool) -> bool:
        if frugal and "reasoning_effort" in said:
            self._frugal = False
            return True
        if way != _WAYS[-1] and any(word in said for word in _ABOUT_WAY):
            self._ways = _WAYS[_WAYS.index(way) + 1 :]
            return True
        return False

    def _answer(self, body: Any, form: type[F], asked: list[Any]) -> ModelAnswer[F]:
        body = body if isinstance(body, dict) else {}
        choice = _first(body.get("choices"))
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text = message.get("content")
        text = text if isinstance(text, str) else ""
        tokens = counted(body.get("usage"), "prompt_tokens", "completion_tokens")
        tokens = estimate(text, *(said["content"] for said in asked)) if tokens is None else tokens
        why = choice.get("finish_reason")
        refused = bool(message.get("refusal")) or why == "content_filter"
        return finished(text, form, name=self.name, tokens=tokens, refused=refused, truncated=why == "length")

    @cached_property
    def _client(self) -> OpenAI:
        return client(self._endpoint)

    def __repr__(self) -> str:
        return f"<{self.name} at {self._endpoint.host}>"


def client(endpoint: Endpoint) -> OpenAI:
    """The SDK's client, without its own retries: `RetryPolicy` does them."""
    from openai import OpenAI

    connections = endpoint.connections()
    made = OpenAI(api_key=endpoint.key, base_url=endpoint.url, max_retries=0, http_client=connections)
    weakref.finalize(made, connections.close)
    return made


def _asked(instructions: str, messages: Sequence[ModelMessage], form: type[AnswerForm] | None) -> list[Any]:
    """Describes the form in the prompt, for a server that supports no schema."""
    if form is not None:
        wanted = orjson.dumps(form.model_json_schema()).decode()
        instructions = (
            f"{instructions}\n\nAnswer with one JSON object that fits this schema, and nothing else:\n{wanted}"
        )
    said = [("system", instructions), *messages]
    return [{"role": role, "content": sendable(text)} for role, text in said]


def _first(choices: object) -> dict[str, Any]:
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else {}
