"""Plain functions: a decorator that passes them a context.

@learns(acme, agent="writer")
def write(topic: str, context: str = "") -> str:
    return llm(system=BASE + context, prompt=topic)

write("a reminder")                   # returns what the function returns
result = write.run("a reminder")      # also tells which context it had
result.outcome(success=True)
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar, Unpack

from heedful.adapters.contexts import EMPTY, ChatQuery, ContextOptions, Contexts, OutcomeReport
from heedful.errors import InvalidInput
from heedful.loop import Stages
from heedful.records.context import Context
from heedful.records.outcome import Outcome

P = ParamSpec("P")
R = TypeVar("R")

Judge = Callable[[Any], OutcomeReport]
"""Says what came of a return value: {"success": True}, {"score": 0.7} …"""


@dataclass(frozen=True, slots=True)
class FunctionResult(Generic[R]):
    value: R
    """What the function returned."""
    context: Context
    contexts: Contexts

    def outcome(self, **report: Unpack[OutcomeReport]) -> Outcome | None:
        """Report what came of it, now or later."""
        return None if self.context.id is None else self.contexts.outcome(self.context.id, **report)


def learns(
    loop: Stages,
    *,
    prompt: str | None = None,
    outcome: Judge | None = None,
    failures: bool = False,
    **options: Unpack[ContextOptions],
) -> Callable[[Callable[P, R]], LearningFunction[P, R]]:
    """Give a function, also an async one, a context for its first text argument.

    It gets the text in its parameter `context`, or before the text of the parameter that `prompt` names. The returned
    text is checked against the context. `outcome` is called with the value and returns arguments of `measure.outcome`;
    with `failures`, an error of the function is reported as a failure. The error is raised either way.
    """
    contexts = Contexts(loop, **options)
    return lambda function: LearningFunction(function, contexts, prompt, outcome, failures=failures)


class LearningFunction(Generic[P, R]):
    def __init__(
        self, function: Callable[P, R], contexts: Contexts, prompt: str | None, judge: Judge | None, *, failures: bool
    ) -> None:
        self._function = function
        self._signature = inspect.signature(function)
        self._is_async = inspect.iscoroutinefunction(function)
        self._contexts = contexts
        self._prompt = prompt
        self._judge = judge
        self._failures = failures
        if (name := prompt or "context") not in self._signature.parameters:
            raise InvalidInput(
                f"{function.__name__}() has no parameter {name!r}.",
                hint='Add `context: str = ""`, or name the parameter of the prompt with `prompt=`.',
            )
        update_wrapper(self, function)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Of a method: one that has its instance, so that `run` has it too."""
        if instance is None:
            return self
        method: Callable[..., Any] = MethodType(self._function, instance)
        return LearningFunction(method, self._contexts, self._prompt, self._judge, failures=self._failures)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        result: Any = self.run(*args, **kwargs)
        return _value(result) if self._is_async else result.value  # type: ignore[return-value]

    def run(self, *args: P.args, **kwargs: P.kwargs) -> FunctionResult[R]:
        """Call the function; the result has its value and reports the outcome. Await it if the function is async."""
        if self._is_async:
            return self._run_async(*args, **kwargs)  # type: ignore[return-value]
        bound, context = self._bound(args, kwargs)
        try:
            value = self._function(*bound.args, **bound.kwargs)
        except Exception:
            self._failed(context)
            raise
        return self._returned(value, context)

    async def _run_async(self, *args: Any, **kwargs: Any) -> FunctionResult[Any]:
        bound, context = await asyncio.to_thread(self._bound, args, kwargs)
        function: Any = self._function
        try:
            value = await function(*bound.args, **bound.kwargs)
        except Exception:
            await asyncio.to_thread(self._failed, context)
            raise
        return await asyncio.to_thread(self._returned, value, context)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[inspect.BoundArguments, Context]:
        """The arguments with a context; without one if there is no place for it: a context that nobody reads must not
        be measured."""
        bound = self._signature.bind_partial(*args, **kwargs)  # the function itself says what is missing
        said = bound.arguments
        place = self._prompt or "context"
        asked = said.get(place) if self._prompt else next((text for text in said.values() if isinstance(text, str)), "")
        if (self._prompt is None and place in said) or not isinstance(asked, str):
            return bound, EMPTY
        context = self._contexts.compose(ChatQuery(asked))
        if self._prompt is None:
            said[place] = context.text
        elif context.text:
            said[place] = f"{context.text}\n\n{asked}"
        return bound, context

    def _failed(self, context: Context) -> None:
        if self._failures and context.id is not None:
            self._contexts.outcome(context.id, success=False)

    def _returned(self, value: Any, context: Context) -> FunctionResult[Any]:
        result = FunctionResult(value, context, self._contexts)
        if isinstance(value, str):
            self._contexts.check(context, value)
        if self._judge is not None:
            result.outcome(**self._judge(value))
        return result


async def _value(result: Any) -> Any:
    return (await result).value
