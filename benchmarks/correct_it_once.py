"""How well a correction is heard, kept, given back at the right moment and applied, on cases that nobody tuned on.

    python benchmarks/correct_it_once.py [--cases benchmarks/cases] [--only c] [--most 20] [--model] [--show]
    python benchmarks/correct_it_once.py --only g1 --answers benchmarks/cases/answers/g.jsonl
    python benchmarks/correct_it_once.py --next-answer    how often a real model heeds what each teacher said once

The cases were written by language models that had seen neither the code nor the training data. All is recorded in one
database, so that each later question competes with all other corrections. Look at single cases (--show) only when they
are about to be replaced by new ones.

With --model, the language model of HEEDFUL_LLM reads and applies corrections, and answers the later questions: alone,
with heedful's context, and with the exchange itself, which is the most that a context can do. A small model of your own
makes some ten tokens a second, so limit the cases (--most) and give it time (HEEDFUL_LLM_SECONDS=300).

With --answers, a large model reads and applies corrections, whose answers were recorded: it was shown heedful's own
instructions and each request, and nothing else. So anyone can check these figures without a key.

A pair counts as right if it has the words that the case has, or others that make the same of the output.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py
sys.path.append(str(Path(__file__).resolve().parents[1]))

import argparse
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

import heedful
from benchmarks import heeding
from heedful.errors import ProviderError
from heedful.providers.language import chosen
from heedful.records.correction import Correction, MessageResult
from heedful.records.form import AnswerForm
from heedful.records.language import F, LanguageModel, ModelAnswer, ModelMessage
from heedful.settings import Settings

Case = dict[str, Any]
_BUDGET = 600  # tokens of a context
_ANSWER = 250  # tokens of the answer to a later question
_ASSISTANT = "You are the assistant of this person. Answer their question in one or two sentences."


@dataclass(slots=True)
class Share:
    """How often something held."""

    held: int = 0
    of: int = 0

    def add(self, holds: bool) -> None:
        self.held += holds
        self.of += 1

    def __str__(self) -> str:
        return f"{self.held / self.of:.2f}  ({self.held} of {self.of})" if self.of else "–"


@dataclass(slots=True)
class Figures:
    heard: Share = field(default_factory=Share)
    false: Share = field(default_factory=Share)
    always: Share = field(default_factory=Share)
    exact: Share = field(default_factory=Share)
    right_pairs: Share = field(default_factory=Share)
    wrong_pairs: Share = field(default_factory=Share)
    fixed: Share = field(default_factory=Share)
    wrong_fixed: Share = field(default_factory=Share)
    recall: Share = field(default_factory=Share)
    precision: Share = field(default_factory=Share)
    identical: Share = field(default_factory=Share)
    other: Share = field(default_factory=Share)
    touched: Share = field(default_factory=Share)
    alone: Share = field(default_factory=Share)
    heeded: Share = field(default_factory=Share)
    handed_over: Share = field(default_factory=Share)
    loading: float = 0.0
    reading: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


class OneAnswer(AnswerForm):
    answer: str


@dataclass(slots=True)
class RememberingModel:
    """Asks the same question once: cases are read twice, with all others and alone."""

    model: LanguageModel
    known: dict[tuple[object, ...], Any] = field(default_factory=dict)
    failures: int = 0

    @property
    def name(self) -> str:
        return self.model.name

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        asked = (instructions, *messages, form)
        if asked not in self.known:
            try:
                self.known[asked] = self.model.answer(instructions, messages, form, most_tokens=most_tokens)
            except ProviderError:
                self.failures += 1
                raise
        found: ModelAnswer[F] = self.known[asked]
        return found


@dataclass(slots=True)
class RecordedModel:
    """A large model whose answers were recorded, by what it was shown."""

    file: Path
    asked: Path | None = None
    """Where requests go that it has not answered yet."""
    name: str = "a large model"
    failures: int = 0
    known: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.file.exists():
            self.known = {row["id"]: row["answer"] for row in map(orjson.loads, self.file.open("rb"))}

    def answer(
        self,
        instructions: str,  # noqa: ARG002 - the answers were given with them
        messages: Sequence[ModelMessage],
        form: type[F],
        *,
        most_tokens: int = 1_000,  # noqa: ARG002
    ) -> ModelAnswer[F]:
        shown = f"{form.__name__}\n{messages[-1].text}"
        id = blake2b(shown.encode(), digest_size=12).hexdigest()
        if (found := self.known.get(id)) is not None:
            return ModelAnswer(form.model_validate_json(orjson.dumps(found)), self.name, 0)
        self.failures += 1
        if self.asked is not None and id not in self.missing:
            self.missing.add(id)
            asked = {"id": id, "form": form.__name__, "text": messages[-1].text}
            with self.asked.open("ab") as file:
                file.write(orjson.dumps(asked) + b"\n")
        raise ProviderError("That was not recorded.", hint="Ask a model (--model).")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=Path(__file__).parent / "cases")
    parser.add_argument("--only", default="*", help="the name of one file of cases")
    parser.add_argument("--most", type=int, help="the number of cases, the first ones")
    parser.add_argument("--model", action="store_true", help="use the language model of HEEDFUL_LLM")
    parser.add_argument("--answers", type=Path, help="a file with answers that a large model gave")
    parser.add_argument("--asked", type=Path, help="write what it has not answered yet to this file")
    parser.add_argument("--show", action="store_true", help="print what was read of each case")
    parser.add_argument("--next-answer", action="store_true", help="only how often a model's next answer heeds it")
    options = parser.parse_args()
    if options.next_answer:
        heeding.run(Console(), show=options.show)
        return
    files = sorted(options.cases.glob(f"{options.only}.jsonl"))
    cases = [orjson.loads(line) for file in files for line in file.open("rb")][: options.most]
    model: RememberingModel | RecordedModel | None = configured() if options.model else None
    if options.answers is not None:
        model = RecordedModel(options.answers, options.asked)
    console, figures, found = Console(), Figures(loading=loaded()), []
    with TemporaryDirectory() as folder, opened(f"{folder}/cases.db", model) as loop:
        for number, case in enumerate(cases):
            found.append(record(loop, figures, case, f"case-{number}"))
        for case, result in zip(cases, found, strict=True):
            judge(figures, case, result)
            later(loop, figures, case, result.correction, model if options.model else None)
            if options.show:
                console.print(case["message"], result.detection, sep="\n  ")
    apply(figures, cases, model)
    console.print(table(figures, len(cases), model))


def configured() -> RememberingModel:
    models = chosen(Settings.read())
    if not models:
        sys.exit("No language model is configured. Set HEEDFUL_LLM, such as compatible:qwen, and HEEDFUL_LLM_URL.")
    return RememberingModel(models[0])


def opened(path: str, model: LanguageModel | None) -> AbstractContextManager[heedful.Loop]:
    """Without --model, a model in the environment is not used either."""
    settings = replace(Settings.read(), llm=(), llm_calls=10**9, llm_tokens=10**12)
    return heedful.open(path, settings=settings, language=model)


def loaded() -> float:
    """The seconds that the first correction of a process takes: it loads the models and compiles patterns."""
    with TemporaryDirectory() as folder, opened(f"{folder}/first.db", None) as loop:
        started = time.perf_counter()
        loop.capture.message("No, it's 5, not 3.", last_output="The limit is 3.", query="What is the limit?")
        return time.perf_counter() - started


def record(loop: heedful.Loop, figures: Figures, case: Case, id: str) -> MessageResult:
    said: dict[str, Any] = {"last_output": case["output"], "query": case["question"] or None}
    started = time.perf_counter()
    loop.capture.detect(case["message"], **said)
    read = time.perf_counter()
    result = loop.capture.message(case["message"], id=id, **said)
    figures.reading.append(read - started)
    figures.seconds.append(time.perf_counter() - read)
    return result


def judge(figures: Figures, case: Case, result: MessageResult) -> None:
    detection = result.detection
    (figures.heard if case["correction"] else figures.false).add(detection.is_correction)
    if case["correction"] and detection.is_correction:
        figures.always.add(detection.always == case["always"])
    given = bool(detection.wrong and detection.right)
    exact = (detection.wrong.casefold(), detection.right.casefold()) == (
        case["wrong"].casefold(), case["right"].casefold(),
    )  # fmt: skip
    right = exact or (given and replaced(case["output"], detection.wrong, detection.right) == case["fixed"])
    if case["wrong"] and case["right"]:
        figures.exact.add(exact)
        figures.right_pairs.add(right)
    if given:
        figures.wrong_pairs.add(not right)
    judge_fixed(figures, case, result.correction)


def replaced(output: str, wrong: str, right: str) -> str:
    """As whole words: 40 is no part of 240."""
    return re.sub(rf"(?<!\w){re.escape(wrong)}(?!\w)", lambda _: right, output)


def judge_fixed(figures: Figures, case: Case, correction: Correction | None) -> None:
    """The sentence put right, in the place of the sentence of the output."""
    given = correction is not None and bool(correction.fixed)
    text = case["output"].replace(correction.sentence, correction.fixed) if correction is not None and given else ""
    if case["fixed"]:
        figures.fixed.add(text == case["fixed"])
    if given:
        figures.wrong_fixed.add(text != case["fixed"])


def later(
    loop: heedful.Loop, figures: Figures, case: Case, correction: Correction | None, model: LanguageModel | None
) -> None:
    if case["later_question"]:
        context = loop.apply.context(case["later_question"], budget=_BUDGET)
        figures.recall.add(correction is not None and any(piece.id == correction.id for piece in context.pieces))
        for piece in context.pieces:
            figures.precision.add(correction is not None and piece.id == correction.id)
        if model is not None and case["correction"]:
            figures.alone.add(heeds(model, case, ""))
            figures.heeded.add(heeds(model, case, context.text))
            figures.handed_over.add(heeds(model, case, exchange(case)))
    if case["near_question"]:
        for _ in loop.apply.context(case["near_question"], budget=_BUDGET).pieces:
            figures.precision.add(False)


def exchange(case: Case) -> str:
    turns = (("The person", case["question"]), ("You", case["output"]), ("The person", case["message"]))
    return "\n".join(("Earlier:", *(f"{who}: {said}" for who, said in turns if said)))


def heeds(model: LanguageModel, case: Case, context: str) -> bool:
    """Whether the answer to the later question has what it must have, and not what it must not have."""
    instructions = f"{_ASSISTANT}\n\n{context}".strip()
    asked = [ModelMessage("user", case["later_question"])]
    try:
        answer = model.answer(instructions, asked, OneAnswer, most_tokens=_ANSWER).value.answer.casefold()
    except ProviderError:
        return False
    must, must_not = case["later_answer_must"].casefold(), case["later_answer_must_not"].casefold()
    return must in answer and not (must_not and must_not in answer)


def apply(figures: Figures, cases: Iterable[Case], model: LanguageModel | None) -> None:
    """Each case alone: what one correction does to later texts."""
    for case in cases:
        if not case["correction"]:
            continue
        with TemporaryDirectory() as folder, opened(f"{folder}/case.db", model) as loop:
            loop.capture.message(case["message"], last_output=case["output"], query=case["question"] or None)
            if case["fixed"]:
                figures.identical.add(improved(loop, case["output"]) == case["fixed"])
            for text, fixed in zip(case["later_outputs"], case["later_fixed"], strict=True):
                figures.other.add(improved(loop, text) == fixed)
            for text in case["untouched"]:
                figures.touched.add(improved(loop, text) != text)


def improved(loop: heedful.Loop, text: str) -> str:
    return loop.apply.improve(text).text


def table(figures: Figures, cases: int, model: RememberingModel | RecordedModel | None) -> Table:
    by = "" if model is None else f", with {model.name}"
    shown = Table(title=f"Correct it once: {cases} unseen cases{by}", title_justify="left")
    shown.add_column("")
    shown.add_column("")
    for name, value in (
        ("corrections heard and kept (goal 0.90)", figures.heard),
        ("of what corrects nothing, taken for a correction (goal 0.05)", figures.false),
        ("always or only here, right (goal 0.90)", figures.always),
        ("wrong and right words right (goal 0.40; 0.80 with a capable model)", figures.right_pairs),
        ("… in just the words that the case has", figures.exact),
        ("of the pairs given, others than the case's (goal 0.03)", figures.wrong_pairs),
        ("corrected sentence put right", figures.fixed),
        ("of the sentences given, wrong ones", figures.wrong_fixed),
        ("later context: recall (goal 0.90)", figures.recall),
        ("later context: precision (goal 0.50)", figures.precision),
        ("identical output put right (goal 0.50)", figures.identical),
        ("same mistake in another sentence put right (goal 0.30)", figures.other),
        ("near misses and unrelated texts changed (goal 0.01)", figures.touched),
    ):
        shown.add_row(name, str(value))
    if isinstance(model, RememberingModel):
        shown.add_row("a model's next answer heeds it: without any context", str(figures.alone))
        shown.add_row("a model's next answer heeds it: with heedful's context", str(figures.heeded))
        shown.add_row("a model's next answer heeds it: with the exchange itself", str(figures.handed_over))
        shown.add_row("requests that the model did not answer", f"{model.failures}")
    for name, seconds in (
        ("one message read, p50 / p99 / most (goal 20 / 50 ms)", figures.reading),
        ("one message read and recorded, p50 / p99 / most", figures.seconds),
    ):
        p50, p99, most = (1_000 * value for value in (*percentiles(seconds), max(seconds)))
        shown.add_row(name, f"{p50:.0f} / {p99:.0f} / {most:.0f} ms")
    shown.add_row("… the first of a process, which loads the models", f"{1_000 * figures.loading:.0f} ms")
    return shown


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    return median(seconds), quantiles([*seconds, *seconds], n=100)[98]  # twice, for a single case has no quantiles


if __name__ == "__main__":
    main()
