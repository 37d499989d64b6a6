"""DSPy: a module around a program, whose instructions get a context.

program = with_learnings(dspy.ChainOfThought("question -> answer"), acme, agent="support")
prediction = program(question="Where is my parcel?")
program.heedful.outcome(prediction, accepted=True)

evaluate = dspy.Evaluate(devset=examples, metric=program.reporting(metric))
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, Unpack

import dspy

from heedful.adapters.contexts import ChatQuery, ContextOptions, Contexts
from heedful.loop import Stages
from heedful.records.context import Context


def with_learnings(program: dspy.Module, loop: Stages, **options: Unpack[ContextOptions]) -> LearningModule:
    """The program as a module: all its predictors get the context for what it is called with."""
    return LearningModule(program, Contexts(loop, **options))


class LearningModule(dspy.Module):  # type: ignore[misc]
    def __init__(self, program: dspy.Module, contexts: Contexts) -> None:
        super().__init__()
        self.program = program
        self.heedful = contexts

    def forward(self, **inputs: Any) -> Any:
        context = self.heedful.compose(_asked(inputs))
        with dspy.context(adapter=_informed(context)):
            prediction = self.program(**inputs)
        self.heedful.answered(context, prediction, _text)
        return prediction

    async def aforward(self, **inputs: Any) -> Any:
        context = await asyncio.to_thread(self.heedful.compose, _asked(inputs))
        with dspy.context(adapter=_informed(context)):
            prediction = await self.program.acall(**inputs)
        await asyncio.to_thread(self.heedful.answered, context, prediction, _text)
        return prediction

    def reporting(self, metric: Callable[..., Any]) -> Callable[..., Any]:
        """The metric; each of its scores, from 0 to 1, is also reported as the outcome of the prediction."""

        @wraps(metric)
        def reported(example: Any, prediction: Any, *args: Any, **kwargs: Any) -> Any:
            score = metric(example, prediction, *args, **kwargs)
            if self.heedful.find(prediction) is not None:
                self.heedful.attempt("outcome", lambda: self.heedful.outcome(prediction, score=float(score)))
            return score

        return reported

    def __deepcopy__(self, memo: dict[int, Any]) -> LearningModule:
        """Optimizers copy programs; the loop stays the same one."""
        return LearningModule(copy.deepcopy(self.program, memo), self.heedful)


def _asked(inputs: dict[str, Any]) -> ChatQuery:
    return ChatQuery("\n".join(value for value in inputs.values() if isinstance(value, str)))


def _text(prediction: Any) -> str:
    """The last field that is text: reasoning comes before the answer."""
    texts = [value for value in prediction.toDict().values() if isinstance(value, str)]
    return texts[-1] if texts else ""


def _informed(context: Context) -> Any:
    """The adapter in use, with the context at the end of the instructions."""
    adapter = dspy.settings.adapter or dspy.ChatAdapter()
    if not context.text:
        return adapter
    outer = getattr(adapter, "heedful_text", None)  # of a program around this one
    adapter = copy.copy(adapter)
    kind: Any = type(adapter)
    adapter.__class__ = kind if outer else _informed_class(kind)
    adapter.heedful_text = f"{outer}\n\n{context.text}" if outer else context.text
    return adapter


@cache
def _informed_class(kind: Any) -> Any:
    """A subclass of the same name, because DSPy streams by the class and the name of the adapter."""

    class Informed(kind):  # type: ignore[misc]
        def __call__(self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
            return super().__call__(lm, lm_kwargs, self._told(signature), demos, inputs)

        async def acall(self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
            return await super().acall(lm, lm_kwargs, self._told(signature), demos, inputs)

        def _told(self, signature: Any) -> Any:
            return signature.with_instructions(f"{signature.instructions}\n\n{self.heedful_text}")

    Informed.__name__ = kind.__name__
    for method in ("format", "parse"):  # DSPy wraps them in callbacks for every subclass: once is enough
        delattr(Informed, method)
    return Informed
