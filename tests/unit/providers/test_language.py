"""Language models are asked in time, again, for less and elsewhere; and never without being counted."""

from __future__ import annotations

import json
import logging
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import Any, Literal

import pytest

from heedful.errors import (
    BadAnswer,
    BudgetSpent,
    HeedfulError,
    KeyRefused,
    Misconfigured,
    MissingExtra,
    NoCredit,
    ProviderError,
    ProviderRefused,
    ProviderUnreachable,
    UnknownModel,
)
from heedful.providers.anthropic import AnthropicModel
from heedful.providers.endpoint import Endpoint
from heedful.providers.language import BudgetedModel, FallbackModel, chosen, within_budget
from heedful.providers.openai import OpenAIModel
from heedful.providers.retries import RetryPolicy
from heedful.records.form import AnswerForm, Share
from heedful.records.language import LanguageModel, Limits, ModelMessage, Reserved
from heedful.settings import Settings
from tests.llm_server import (
    BrokenOff,
    Drip,
    LlmServer,
    Received,
    Reply,
    Silence,
    Step,
    chat,
    llm_server,
    message,
    problem,
)

KEY = "sk-very-secret-key-0123456789"
SAID = "Please write the date as 5 January."


class Verdict(AnswerForm):
    kind: Literal["correction", "other"]
    sure: Share


GOOD = '{"kind": "correction", "sure": 0.9}'
VALUE = Verdict(kind="correction", sure=0.9)
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
KINDS = ["anthropic", "openai", "compatible"]


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with llm_server() as served:
        yield served


def _endpoint(server: LlmServer, kind: str, seconds: float = 20.0) -> Endpoint:
    url = server.url if kind == "anthropic" else f"{server.url}/v1"
    return Endpoint(kind, "small", url, KEY, "HEEDFUL_LLM", seconds, lambda: NOW)


def _model(server: LlmServer, kind: str, seconds: float = 20.0) -> LanguageModel:
    found = _endpoint(server, kind, seconds)
    return AnthropicModel(found) if kind == "anthropic" else OpenAIModel(found)


def _says(kind: str, text: str = GOOD, *, cut: bool = False, tokens: int | None = 30) -> Reply:
    if kind == "anthropic":
        return message(text, stop="max_tokens" if cut else "end_turn", tokens=tokens)
    return chat(text, finish="length" if cut else "stop", tokens=tokens)


def _ask(model: LanguageModel, text: str = SAID, **options: Any) -> Any:
    return model.answer("Tell what it is.", [ModelMessage("user", text)], Verdict, **options)


class Pauses(list[float]):
    """Time is not spent, only noted."""

    def retries(self, **options: Any) -> RetryPolicy:
        return RetryPolicy(sleep=self.append, chance=lambda: 0.0, **options)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


# --- One request ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_the_object_with_its_model_and_tokens(server: LlmServer, kind: str) -> None:
    server.will(_says(kind))

    answer = _ask(_model(server, kind))

    assert (answer.value, answer.model, answer.tokens) == (VALUE, f"{kind}:small", 30)


def test_anthropic_is_held_to_the_schema_and_to_little_thinking(server: LlmServer) -> None:
    server.will(message(GOOD))

    _ask(_model(server, "anthropic"), most_tokens=77)

    (got,) = server.received
    assert (got.path, got.headers["authorization"]) == ("/v1/messages", f"Bearer {KEY}")
    assert (got.body["model"], got.body["max_tokens"], got.body["system"]) == ("small", 77, "Tell what it is.")
    assert got.body["messages"] == [{"role": "user", "content": SAID}]
    assert got.body["output_config"]["effort"] == "low"
    wanted = got.body["output_config"]["format"]
    assert wanted["type"] == "json_schema"
    sure = wanted["schema"]["properties"]["sure"]
    assert (sure["type"], sure["description"]) == ("number", "{maximum: 1, minimum: 0}")
    assert wanted["schema"]["additionalProperties"] is False


def test_openai_is_held_to_the_schema_and_keeps_nothing(server: LlmServer) -> None:
    server.will(chat(GOOD))

    _ask(_model(server, "openai"), most_tokens=77)

    (got,) = server.received
    assert (got.path, got.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert [said["role"] for said in got.body["messages"]] == ["system", "user"]
    assert (got.body["max_completion_tokens"], got.body["store"]) == (77, False)
    assert got.body["response_format"]["type"] == "json_schema"
    assert got.body["response_format"]["json_schema"]["strict"] is True


def test_a_compatible_server_is_told_the_limit_in_the_words_it_knows(server: LlmServer) -> None:
    server.will(chat(GOOD))

    _ask(_model(server, "compatible"), most_tokens=77)

    body = server.received[0].body
    assert (body["max_tokens"], body["temperature"]) == (77, 0)
    assert not {"max_completion_tokens", "store", "reasoning_effort"} & body.keys()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("step", "error", "again", "tokens"),
    [
        (problem(401, "authentication_error", KEY), KeyRefused, False, 0),
        (problem(403, "permission_error"), KeyRefused, False, 0),
        (problem(404, "model_not_found"), UnknownModel, False, 0),
        (problem(400, "invalid_request_error", "too many words"), ProviderRefused, False, 0),
        (problem(429, "insufficient_quota"), NoCredit, False, 0),
        (problem(402, "payment_required"), NoCredit, False, 0),
        (problem(400, "invalid_request_error", "Your credit balance is too low"), NoCredit, False, 0),
        (problem(429, "rate_limit_error"), ProviderUnreachable, True, 0),
        (problem(500, "api_error"), ProviderUnreachable, True, 0),
        (problem(529, "overloaded_error"), ProviderUnreachable, True, 0),
        (Reply(b"<html>Bad gateway</html>", 502, {"content-type": "text/html"}), ProviderUnreachable, True, 0),
        (Reply(b"", 307, {"location": "https://elsewhere.example.com/"}), ProviderRefused, False, 0),
        (BrokenOff(), ProviderUnreachable, True, None),
        (Reply(b'{"choices": [', 200), BadAnswer, False, None),
        (Reply(b"<html>Welcome</html>", 200, {"content-type": "text/html"}), BadAnswer, False, None),
        (Reply(b" " * (17 * 1024 * 1024), 200), BadAnswer, False, None),
    ],
    ids=lambda value: getattr(value, "__name__", None) or type(value).__name__,
)
def test_what_goes_wrong_has_a_name(
    server: LlmServer, kind: str, step: Step, error: type[ProviderError], again: bool, tokens: int | None
) -> None:
    server.will(step)

    with pytest.raises(error) as raised:
        _ask(_model(server, kind))

    assert type(raised.value) is error
    assert (raised.value.again, raised.value.tokens) == (again, tokens)
    assert raised.value.hint


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", [[], {}, None, "x", {"choices": [], "content": {}}, {"choices": [7], "content": [7]}])
def test_an_answer_of_any_shape_is_borne(server: LlmServer, kind: str, body: Any) -> None:
    server.will(Reply(body))

    with pytest.raises(BadAnswer, match="it is empty"):
        _ask(_model(server, kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I think it is a correction.", "it is not JSON"),
        ('{"kind": "correction"', "it is not JSON"),
        ('{"kind": "correction", "sure": NaN}', "sure: Input should be a finite number"),
        ('{"kind": "correction"}', "sure: Field required"),
        ('{"kind": "perhaps", "sure": 1}', "kind: Input should be 'correction' or 'other'"),
        ('{"kind": "other", "sure": 1.5}', "sure: Input should be less than or equal to 1"),
        ('{"kind": "other", "sure": "1"}', "sure: Input should be a valid number"),
        ('{"kind": "other", "sure": true}', "sure: Input should be a valid number"),
        ('{"kind": "other", "sure": 1, "secret": 1}', "it has unexpected fields"),
        (f'{{"a": {"[" * 100_000}1}}', "it is not JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_its_cost_known(
    server: LlmServer, kind: str, text: str, wrong: str
) -> None:
    server.will(_says(kind, text))

    with pytest.raises(BadAnswer, match=wrong) as raised:
        _ask(_model(server, kind))

    assert raised.value.tokens == 30
    assert not any(said in str(raised.value) for said in ("perhaps", "1.5", "secret"))


@pytest.mark.parametrize("text", [f"```json\n{GOOD}\n```", f"Certainly! {GOOD} Anything else?", f"\n\n{GOOD}\n\n\n"])
def test_what_models_put_around_an_answer_does_not_matter(server: LlmServer, text: str) -> None:
    server.will(chat(text))

    assert _ask(_model(server, "compatible")).value == VALUE


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_was_cut_off_is_no_answer(server: LlmServer, kind: str) -> None:
    server.will(_says(kind, GOOD, cut=True))

    with pytest.raises(BadAnswer, match="cut off"):
        _ask(_model(server, kind))


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("anthropic", message("", stop="refusal")),
        ("openai", chat(None, refusal="I cannot help with that.")),
        ("compatible", chat("", finish="content_filter")),
    ],
)
def test_a_model_that_declines_is_told_apart(server: LlmServer, kind: str, reply: Reply) -> None:
    server.will(reply)

    with pytest.raises(ProviderRefused, match="declined") as raised:
        _ask(_model(server, kind))

    assert raised.value.tokens == 30


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("step", [Silence(), Drip()])
def test_the_time_is_up_for_the_whole_answer(server: LlmServer, kind: str, step: Step) -> None:
    server.will(step)

    with pytest.raises(ProviderUnreachable, match=r"did not answer within 0\.3 s") as raised:
        _ask(_model(server, kind, seconds=0.3))

    assert raised.value.tokens is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_not_there_cost_nothing(kind: str) -> None:
    with llm_server() as gone:
        pass

    with pytest.raises(ProviderUnreachable, match=r"127\.0\.0\.1 could not be reached") as raised:
        _ask(_model(gone, kind))

    assert raised.value.tokens == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -5}, {"input_tokens": "x"}, {"prompt_tokens": 10**30}])
def test_tokens_are_estimated_where_the_server_does_not_count(server: LlmServer, kind: str, usage: Any) -> None:
    reply = _says(kind)
    server.will(replace(reply, body={**reply.body, "usage": usage}))

    assert 20 <= _ask(_model(server, kind)).tokens <= 200


@pytest.mark.parametrize("kind", KINDS)
def test_half_characters_and_control_characters_can_be_sent(server: LlmServer, kind: str) -> None:
    server.will(_says(kind))

    _ask(_model(server, kind), "a\ud800b\x00c")

    assert server.received[0].body["messages"][-1]["content"] == "a?b\x00c"


# --- What a server understands --------------------------------------------------------------------------------------


def _knows_only(*forms: str) -> Callable[[Received], Step]:
    def respond(got: Received) -> Step:
        form = got.body["response_format"]["type"]
        return chat(GOOD) if form in forms else problem(400, "bad_request", f"response_format {form}: unsupported")

    return respond


@pytest.mark.parametrize(("forms", "requests"), [(("json_object", "text"), 2), (("text",), 3)])
def test_a_server_without_schemas_is_asked_in_words_from_then_on(
    server: LlmServer, pauses: Pauses, forms: tuple[str, ...], requests: int
) -> None:
    server.respond(_knows_only(*forms))
    model = FallbackModel([_model(server, "compatible")], pauses.retries())

    assert _ask(model).value == VALUE
    assert len(server.received) == requests
    assert _ask(model).value == VALUE

    assert len(server.received) == requests + 1
    last = server.received[-1].body
    assert last["response_format"] == {"type": forms[0]}
    assert json.loads(last["messages"][0]["content"].rsplit("\n", 1)[1]) == Verdict.model_json_schema()
    assert set(pauses) == {0.0}


@pytest.mark.parametrize(
    ("kind", "word", "absent"),
    [("anthropic", "output_config.effort", "effort"), ("openai", "reasoning_effort", "reasoning_effort")],
)
def test_a_model_that_knows_no_effort_is_not_asked_for_any(
    server: LlmServer, pauses: Pauses, kind: str, word: str, absent: str
) -> None:
    server.will(problem(400, "invalid_request_error", f"{word} is not supported"), _says(kind), _says(kind))
    model = FallbackModel([_model(server, kind)], pauses.retries())

    _ask(model)
    _ask(model)

    assert [absent in json.dumps(got.body) for got in server.received] == [True, False, False]


# --- Asking again ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_stumbles_is_asked_again_after_growing_pauses(
    server: LlmServer, pauses: Pauses, kind: str
) -> None:
    server.will(problem(500, "api_error"), problem(529, "overloaded_error"), BrokenOff(), _says(kind))

    assert _ask(FallbackModel([_model(server, kind)], pauses.retries())).value == VALUE
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("header", "value", "pause"),
    [
        ("retry_after", "7", 7.0),
        ("retry_after", "0.5", 0.5),
        ("retry_after_ms", "1500", 1.5),
        ("retry_after", format_datetime(NOW.replace(second=9), usegmt=True), 9.0),
        ("retry_after", "-3", 0.0),
        ("retry_after", "soon", 0.25),
        ("retry_after", "nan", 0.25),
    ],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks(
    server: LlmServer, pauses: Pauses, kind: str, header: str, value: str, pause: float
) -> None:
    server.will(problem(429, "rate_limit_error", **{header: value}), _says(kind))

    assert _ask(FallbackModel([_model(server, kind)], pauses.retries())).value == VALUE
    assert pauses == [pause]


def test_a_server_that_asks_for_an_hour_is_given_up(server: LlmServer, pauses: Pauses) -> None:
    server.will(problem(429, "rate_limit_error", retry_after="3600"))

    with pytest.raises(ProviderUnreachable):
        _ask(FallbackModel([_model(server, "openai")], pauses.retries()))

    assert (pauses, len(server.received)) == ([], 1)


def test_pauses_are_bounded_and_left_to_chance_a_little() -> None:
    asked: list[float] = []
    retries = RetryPolicy(tries=12, sleep=asked.append)

    def fail() -> None:
        raise ProviderUnreachable("away")

    with pytest.raises(ProviderUnreachable):
        retries.call(fail)

    assert len(asked) == 11
    for number, pause in enumerate(asked):
        most = min(20.0, 0.5 * 2**number)
        assert most / 2 <= pause <= most
    assert len(set(asked)) == 11


def test_a_refusal_is_not_asked_again(server: LlmServer, pauses: Pauses) -> None:
    server.will(problem(401, "authentication_error"))

    with pytest.raises(ProviderRefused):
        _ask(FallbackModel([_model(server, "openai")], pauses.retries()))

    assert len(server.received) == 1


def test_the_sdks_do_not_ask_again_by_themselves(server: LlmServer) -> None:
    for kind in KINDS:
        server.will(problem(500, "api_error"))
        with pytest.raises(ProviderUnreachable):
            _ask(_model(server, kind))

    assert len(server.received) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_does_not_fit_is_asked_for_once_more_with_what_was_wrong(
    server: LlmServer, pauses: Pauses, kind: str
) -> None:
    server.will(_says(kind, '{"kind": "other", "sure": 3}'), _says(kind))

    answer = _ask(FallbackModel([_model(server, kind)], pauses.retries()))

    assert (answer.value, answer.tokens) == (VALUE, 60)
    assert "sure: Input should be less than or equal to 1" in json.dumps(server.received[1].body)
    assert pauses == []


def test_it_is_asked_for_once_more_only(server: LlmServer, pauses: Pauses) -> None:
    server.respond(lambda _: chat("no"))

    with pytest.raises(BadAnswer):
        _ask(FallbackModel([_model(server, "openai")], pauses.retries()))

    assert len(server.received) == 2


# --- Asking elsewhere -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trouble",
    [
        [problem(401, "authentication_error")],
        [problem(404, "model_not_found")],
        [message("", stop="refusal")],
        [problem(500, "api_error")] * 4,
        [message("no"), message("no")],
    ],
    ids=["key", "model", "declined", "away", "bad"],
)
def test_when_a_model_fails_the_next_one_is_asked(
    server: LlmServer, pauses: Pauses, caplog: pytest.LogCaptureFixture, trouble: list[Step]
) -> None:
    server.will(*trouble, chat(GOOD))
    model = FallbackModel([_model(server, "anthropic"), _model(server, "compatible")], pauses.retries())

    answer = _ask(model)

    assert (answer.value, answer.model) == (VALUE, "compatible:small")
    assert model.name == "anthropic:small"
    (record,) = [each for each in caplog.records if each.name.startswith("heedful")]
    assert "falling back to the next language model" in record.getMessage()


def test_when_all_fail_the_last_one_says_why(server: LlmServer, pauses: Pauses) -> None:
    server.will(problem(401, "authentication_error"), problem(404, "model_not_found"))
    model = FallbackModel([_model(server, "anthropic"), _model(server, "compatible")], pauses.retries())

    with pytest.raises(ProviderRefused, match="model_not_found"):
        _ask(model)


# --- Budget ---------------------------------------------------------------------------------------------------------


class Notes:
    """A ledger in memory."""

    def __init__(self) -> None:
        self.calls = self.tokens = 0

    def reserve(self, calls: int, tokens: int, limits: Limits) -> Reserved:
        if self.calls + calls > limits.calls or self.tokens + tokens > limits.tokens:
            raise BudgetSpent("The budget of the day does not allow it.")
        self.calls += calls
        self.tokens += tokens
        return Reserved(date(2026, 1, 5), tokens)

    def settle(self, reserved: Reserved, used_tokens: int) -> None:
        self.tokens += used_tokens - reserved.tokens


PLENTY = Limits(1_000, 1_000_000)


def test_what_an_answer_took_is_counted(server: LlmServer) -> None:
    server.will(chat(GOOD, tokens=123))
    notes = Notes()

    _ask(BudgetedModel(_model(server, "compatible"), notes, PLENTY))

    assert (notes.calls, notes.tokens) == (1, 123)


def test_every_request_counts_also_those_that_fail_and_those_to_other_models(server: LlmServer, pauses: Pauses) -> None:
    server.will(problem(500, "api_error"), message("no"), message("no"), problem(529, "overloaded_error"), chat(GOOD))
    notes = Notes()
    models = [_model(server, "anthropic"), _model(server, "compatible")]

    _ask(within_budget(models, notes, PLENTY, pauses.retries()))

    assert (notes.calls, notes.tokens) == (len(server.received), 90)


def test_a_failing_server_cannot_spend_without_limit(server: LlmServer, pauses: Pauses) -> None:
    server.respond(lambda _: problem(500, "api_error"))
    model = within_budget([_model(server, "openai")], Notes(), Limits(6, 1_000_000), pauses.retries())

    for expected in (ProviderUnreachable, BudgetSpent, BudgetSpent):
        with pytest.raises(expected):
            _ask(model)

    assert len(server.received) == 6


def test_a_spent_budget_asks_nobody_and_no_other_model(server: LlmServer, pauses: Pauses) -> None:
    models = [_model(server, "anthropic"), _model(server, "compatible")]

    for limits in (Limits(0, 1_000_000), Limits(1_000, 100)):
        with pytest.raises(BudgetSpent):
            _ask(within_budget(models, Notes(), limits, pauses.retries()))

    assert server.received == []


def test_what_nobody_knows_the_cost_of_stays_spent(server: LlmServer) -> None:
    server.will(Silence())
    notes = Notes()

    with pytest.raises(ProviderUnreachable):
        _ask(BudgetedModel(_model(server, "compatible", seconds=0.2), notes, PLENTY), most_tokens=400)

    assert notes.tokens > 400 + len(SAID)


def test_enough_is_set_aside_for_the_longest_answer(server: LlmServer) -> None:
    notes = Notes()
    server.respond(lambda _: chat(GOOD, tokens=notes.tokens))

    answer = _ask(BudgetedModel(_model(server, "compatible"), notes, PLENTY), "日" * 1_000, most_tokens=400)

    assert answer.tokens >= 3_000 + 400


def test_threads_may_share_a_model(server: LlmServer) -> None:
    server.respond(lambda _: chat(GOOD))
    model = _model(server, "compatible")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: _ask(model).value, range(40)))

    assert answers == [VALUE] * 40


# --- Settings -------------------------------------------------------------------------------------------------------


def _settings(**environ: str) -> Settings:
    return Settings.read({"HEEDFUL_DATABASE": "x.db", **environ})


def test_without_the_setting_there_is_no_model() -> None:
    assert chosen(_settings(ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY=KEY)) == ()


def test_models_are_named_in_the_order_in_which_they_are_tried() -> None:
    settings = _settings(
        HEEDFUL_LLM="anthropic, openai:gpt-x,compatible:llama3.2:1b",
        HEEDFUL_LLM_URL="http://localhost:11434/v1",
        ANTHROPIC_API_KEY="a",
        OPENAI_API_KEY="o",
    )

    names = [model.name for model in chosen(settings)]

    assert names == ["anthropic:claude-haiku-5-5", "openai:gpt-x", "compatible:llama3.2:1b"]


@pytest.mark.parametrize(
    ("environ", "what"),
    [
        ({"HEEDFUL_LLM": "openai"}, "not of the form provider:MODEL"),
        ({"HEEDFUL_LLM": "compatible:"}, "not of the form provider:MODEL"),
        ({"HEEDFUL_LLM": "gpt-x"}, "not of the form provider:MODEL"),
        ({"HEEDFUL_LLM": "anthropic"}, "HEEDFUL_LLM_KEY or ANTHROPIC_API_KEY"),
        ({"HEEDFUL_LLM": "openai:gpt-x", "ANTHROPIC_API_KEY": KEY}, "HEEDFUL_LLM_KEY or OPENAI_API_KEY"),
        ({"HEEDFUL_LLM": "compatible:small"}, "Set HEEDFUL_LLM_URL"),
        ({"HEEDFUL_LLM": "compatible:small", "HEEDFUL_LLM_URL": "localhost:8080"}, "HEEDFUL_LLM_URL is not an address"),
        ({"HEEDFUL_LLM": "compatible:small", "HEEDFUL_LLM_URL": "http://[x"}, "HEEDFUL_LLM_URL is not an address"),
        ({"HEEDFUL_LLM": "compatible:small", "HEEDFUL_LLM_URL": f"http://me:{KEY}@host/v1"}, "HEEDFUL_LLM_KEY instead"),
        ({"HEEDFUL_LLM": "anthropic,openai:gpt-x", "HEEDFUL_LLM_KEY": KEY}, "apply to one provider only"),
        ({"HEEDFUL_LLM_CALLS": "many"}, "HEEDFUL_LLM_CALLS is 'many'"),
    ],
)
def test_a_setting_that_cannot_work_is_named(environ: dict[str, str], what: str) -> None:
    with pytest.raises(Misconfigured, match=what) as raised:
        chosen(_settings(**environ))

    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("environ", "sent"),
    [
        ({"HEEDFUL_LLM": "compatible:small"}, "Bearer none"),
        ({"HEEDFUL_LLM": "compatible:small", "HEEDFUL_LLM_KEY": "mine"}, "Bearer mine"),
        ({"HEEDFUL_LLM": "openai:small"}, "Bearer openai-key"),
        ({"HEEDFUL_LLM": "openai:small", "HEEDFUL_LLM_KEY": "mine"}, "Bearer mine"),
    ],
)
def test_a_key_goes_to_whom_it_belongs(server: LlmServer, environ: dict[str, str], sent: str) -> None:
    server.will(chat(GOOD))
    own = {"OPENAI_API_KEY": "openai-key", "ANTHROPIC_API_KEY": "anthropic-key"}
    (model,) = chosen(_settings(**own, **environ, HEEDFUL_LLM_URL=f"{server.url}/v1"))

    _ask(model)

    assert server.received[0].headers["authorization"] == sent
    assert "anthropic-key" not in str(server.received)


@pytest.mark.parametrize(("name", "sdk"), [("anthropic", "anthropic"), ("compatible:small", "openai")])
def test_without_the_sdk_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, name: str, sdk: str) -> None:
    monkeypatch.setitem(sys.modules, sdk, None)

    with pytest.raises(MissingExtra, match=r"pip install 'heedful\[llm\]'"):
        chosen(_settings(HEEDFUL_LLM=name, HEEDFUL_LLM_URL="http://localhost/v1", HEEDFUL_LLM_KEY=KEY))


# --- Secrets --------------------------------------------------------------------------------------------------------


def test_keys_are_not_shown_by_settings() -> None:
    names = [
        "HEEDFUL_LLM_KEY", "HEEDFUL_EMBEDDER_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY",
        "HEEDFUL_SECRET", "HEEDFUL_KEY", "HEEDFUL_METRICS_TOKEN",
    ]  # fmt: skip
    settings = _settings(**dict.fromkeys(names, KEY))

    assert settings.llm_key == settings.openai_key == settings.anthropic_key == settings.embedder_key == KEY
    assert KEY not in repr(settings)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "step",
    [
        problem(401, "authentication_error", f"Incorrect API key provided: {KEY}. You said: {SAID}"),
        problem(400, KEY, f"{KEY} {SAID}"),
        problem(500, "api_error", f"{KEY} {SAID}"),
        Reply(f"{KEY} {SAID}".encode()),
        Reply({"choices": [{"message": {"content": f"{KEY} {SAID}"}}], "content": [{"type": "text", "text": KEY}]}),
        BrokenOff(),
    ],
    ids=["401", "400", "500", "text", "content", "reset"],
)
def test_neither_keys_nor_what_people_said_is_in_errors_and_logs(
    server: LlmServer, pauses: Pauses, caplog: pytest.LogCaptureFixture, kind: str, step: Step
) -> None:
    server.respond(lambda _: step)
    caplog.set_level(logging.DEBUG)
    model = _model(server, kind)

    with pytest.raises(ProviderError) as raised:
        _ask(FallbackModel([model, model], pauses.retries()))

    shown = [str(raised.value), repr(raised.value), repr(model), str(pickle.dumps(raised.value))]
    shown += [logging.Formatter().format(record) for record in caplog.records if record.name.startswith("heedful")]
    assert not any(KEY in text or SAID in text for text in shown)
    assert not any(KEY in logging.Formatter().format(record) for record in caplog.records if record.name != "root")
    assert raised.value.__suppress_context__


def test_an_endpoint_hides_its_key_and_bounds_its_times(server: LlmServer) -> None:
    found = Endpoint("openai", "small", f"{server.url}/v1", KEY, "HEEDFUL_LLM")

    assert KEY not in repr(found)
    with found.connections() as connections:
        assert (connections.timeout.connect, connections.timeout.read) == (5.0, 15.0)
        assert not connections.follow_redirects


def test_errors_survive_the_way_to_another_process() -> None:
    for kind in (ProviderError, ProviderUnreachable, ProviderRefused, BadAnswer, BudgetSpent):
        copy = pickle.loads(pickle.dumps(kind("what", hint="how")))
        assert isinstance(copy, kind)
        assert isinstance(copy, HeedfulError)
        assert (copy.message, copy.hint) == ("what", "how")


def test_choosing_models_does_not_import_their_sdks() -> None:
    import subprocess

    code = (
        "import sys; from heedful.settings import Settings; from heedful.providers.language import chosen\n"
        "chosen(Settings('x', llm=('anthropic', 'openai:x'), anthropic_key='a', openai_key='o'))\n"
        "sys.exit(bool({'anthropic', 'openai', 'httpx2', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_thread_is_left_behind_by_answers_in_time(server: LlmServer) -> None:
    server.respond(lambda _: chat(GOOD))
    for _ in range(5):
        _ask(_model(server, "compatible"))

    assert [thread for thread in threading.enumerate() if thread.name == "heedful-exchange"] == []
