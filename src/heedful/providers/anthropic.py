"""Language models of Anthropic."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heedful.providers.answer_parsing import finished
from heedful.providers.endpoint import Endpoint
from heedful.providers.exchange import counted, exchange
from heedful.records.language import F, ModelAnswer, ModelMessage, estimate, sendable

if TYPE_CHECKING:
    from anthropic import Anthropic

_COUNTS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")


class AnthropicModel:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._frugal = True

    @property
    def name(self) -> str:
        return self._endpoint.name

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        import anthropic

        # Not `messages.parse`: it reads without a size limit, and reports no usage for an invalid answer.
        wanted: Any = {"type": "json_schema", "schema": anthropic.transform_schema(form)}
        # Thinking counts as writing, and takes longer than the tasks here are worth.
        system, frugal = sendable(instructions), self._frugal
        asked: list[Any] = [{"role": role, "content": sendable(text)} for role, text in messages]
        create = self._client.messages.with_streaming_response.create
        body = exchange(
            anthropic,
            self._endpoint,
            lambda: create(
                model=self._endpoint.model,
                max_tokens=most_tokens,
                system=system,
                messages=asked,
                output_config={"format": wanted, "effort": "low"} if frugal else {"format": wanted},
            ),
            lambda said: self._adapt(said, frugal=frugal),
        )
        return self._answer(body, form, system, *(said["content"] for said in asked))

    def _adapt(self, said: str, *, frugal: bool) -> bool:
        """Older models do not support effort."""
        if frugal and "effort" in said:
            self._frugal = False
            return True
        return False

    def _answer(self, body: Any, form: type[F], *asked: str) -> ModelAnswer[F]:
        body = body if isinstance(body, dict) else {}
        text = _text(body.get("content"))
        tokens = counted(body.get("usage"), *_COUNTS)
        tokens = estimate(text, *asked) if tokens is None else tokens
        why = body.get("stop_reason")
        truncated = why in _CUT_OFF
        return finished(text, form, name=self.name, tokens=tokens, refused=why == "refusal", truncated=truncated)

    @cached_property
    def _client(self) -> Anthropic:
        from anthropic import Anthropic

        connections = self._endpoint.connections()
        made = Anthropic(
            api_key=self._endpoint.key,
            base_url=self._endpoint.url,
            max_retries=0,  # there is one place for those
            http_client=connections,
            open_telemetry=False,  # its spans can be configured to contain people's messages
        )
        weakref.finalize(made, connections.close)
        return made

    def __repr__(self) -> str:
        return f"<{self.name} at {self._endpoint.host}>"


def _text(content: object) -> str:
    """By type: thinking comes first."""
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))
