"""LangChain: a middleware for `create_agent`, and a wrapper for chat models and chains that begin with one.

agent = create_agent(model, tools, middleware=[LearningsMiddleware(acme, agent="writer")])
result = agent.invoke({"messages": [("user", "Write to the customer")]})
acme.measure.outcome(result["heedful_context"], accepted=True)

chain = prompt | with_learnings(model, acme, agent="writer")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Annotated, Any, Unpack
from uuid import UUID

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, Runtime
from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForChainRun
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from heedful.adapters.chat import content_text
from heedful.adapters.contexts import ChatQuery, ContextOptions, Contexts, OutcomeReport
from heedful.loop import Stages
from heedful.records.context import Context


class LearningState(AgentState[Any]):  # type: ignore[misc]
    heedful_context: Annotated[str | None, OmitFromInput]
    """The id of the context, in the agent's result; None if it was empty."""
    heedful_text: Annotated[str, PrivateStateAttr]


class LearningsMiddleware(AgentMiddleware[LearningState]):  # type: ignore[misc]
    """One context for a run of an agent, in its system message; the last answer is checked. A thread is a unit."""

    state_schema = LearningState

    def __init__(self, loop: Stages, **options: Unpack[ContextOptions]) -> None:
        super().__init__()
        self.tools: list[Any] = []
        self.heedful = Contexts(loop, **options)

    def before_agent(self, state: LearningState, runtime: Runtime[Any]) -> dict[str, Any]:
        thread = runtime.execution_info.thread_id if runtime.execution_info else None
        context = self.heedful.compose(_asked(state["messages"]), unit=thread)
        return {"heedful_context": context.id, "heedful_text": context.text}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(_informed(request))

    def after_agent(self, state: LearningState, runtime: Runtime[Any]) -> None:  # noqa: ARG002 - as the base has it
        context = Context("", (), 0, id=state.get("heedful_context"))
        self.heedful.check(context, _text(state["messages"][-1]))

    async def abefore_agent(self, state: LearningState, runtime: Runtime[Any]) -> dict[str, Any]:
        return await asyncio.to_thread(self.before_agent, state, runtime)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(_informed(request))

    async def aafter_agent(self, state: LearningState, runtime: Runtime[Any]) -> None:
        await asyncio.to_thread(self.after_agent, state, runtime)


def with_learnings(
    runnable: Runnable[Any, Any],
    loop: Stages,
    *,
    outcome: Callable[[Any], OutcomeReport] | None = None,
    failures: bool = False,
    **options: Unpack[ContextOptions],
) -> LearningRunnable:
    """A chat model, or a chain that begins with one, whose messages get a context.

    `outcome` is called with the result and returns arguments of `measure.outcome`; with `failures`, an error is
    reported as a failure. Otherwise report with `chain.heedful.outcome(message, accepted=True)`.
    """
    return LearningRunnable(runnable, OutcomeCallback(Contexts(loop, **options), outcome, failures=failures))


class LearningRunnable(Runnable[Any, Any]):  # type: ignore[misc]
    def __init__(self, runnable: Runnable[Any, Any], callback: OutcomeCallback) -> None:
        self.heedful = callback.contexts
        self._callback = callback
        self._chain = (RunnableLambda(self._add) | runnable).with_config(callbacks=[callback])

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self._chain.invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return await self._chain.ainvoke(input, config, **kwargs)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        yield from self._chain.stream(input, config, **kwargs)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        async for chunk in self._chain.astream(input, config, **kwargs):
            yield chunk

    def _add(self, input: Any, run_manager: CallbackManagerForChainRun) -> Any:
        if (messages := _messages(input)) is None:
            return input  # the model says what is wrong with it
        context = self.heedful.compose(_asked(messages))
        self._callback.given(run_manager.parent_run_id, context)
        if not context.text:
            return messages
        system = messages[0] if isinstance(messages[0], SystemMessage) else None
        return [_with_text(system, context.text), *messages[system is not None :]]


class OutcomeCallback(BaseCallbackHandler):  # type: ignore[misc]
    """Reports what came of a run of a chain when it has ended, also when it was streamed."""

    raise_error = True  # an error of `outcome` is the application's own

    def __init__(
        self, contexts: Contexts, outcome: Callable[[Any], OutcomeReport] | None = None, *, failures: bool = False
    ) -> None:
        self.contexts = contexts
        self._outcome = outcome
        self._failures = failures
        self._running: dict[UUID | None, Context] = {}

    def given(self, run: UUID | None, context: Context) -> None:
        self._running[run] = context

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        if (context := self._running.pop(run_id, None)) is None:
            return
        self.contexts.answered(context, outputs, _text)
        if self._outcome is not None and context.id is not None:
            self.contexts.outcome(context.id, **self._outcome(outputs))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        context = self._running.pop(run_id, None)
        if self._failures and context is not None and context.id is not None:
            self.contexts.outcome(context.id, success=False)


def _messages(input: Any) -> list[BaseMessage] | None:
    if isinstance(input, str):
        return [HumanMessage(input)]
    if isinstance(input, PromptValue):
        return [*input.to_messages()]
    return [*convert_to_messages(input)] if isinstance(input, list) and input else None


def _asked(messages: Sequence[BaseMessage]) -> ChatQuery:
    texts = (_text(message) for message in reversed(messages) if isinstance(message, HumanMessage))
    return ChatQuery(next((text for text in texts if text), ""))


def _text(output: Any) -> str:
    return content_text(output.content if isinstance(output, BaseMessage) else output)


def _informed(request: ModelRequest[Any]) -> ModelRequest[Any]:
    text = request.state.get("heedful_text")
    return request.override(system_message=_with_text(request.system_message, text)) if text else request


def _with_text(system: SystemMessage | None, text: str) -> SystemMessage:
    """At the end, so that what was cached before it stays cached."""
    if system is None:
        return SystemMessage(text)
    said = system.content
    content = f"{said}\n\n{text}" if isinstance(said, str) else [*said, {"type": "text", "text": text}]
    return system.model_copy(update={"content": content})
