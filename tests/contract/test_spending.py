"""A day's budget for language models holds, whoever asks at once, on every database."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime

import pytest

import heedful
from heedful.errors import BadAnswer, BudgetSpent, InvalidInput, ProviderUnreachable
from heedful.providers.endpoint import Endpoint
from heedful.providers.language import BudgetedModel
from heedful.providers.openai import OpenAIModel
from heedful.records.form import AnswerForm
from heedful.records.language import Limits, ModelMessage
from heedful.store.spending import Spending, Spent
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.llm_server import chat, llm_server, problem

PLENTY = Limits(1_000, 1_000_000)


class YesOrNo(AnswerForm):
    yes: bool


@pytest.fixture
def ledger(loop: heedful.Loop) -> Spending:
    return loop.store.spending


def test_nothing_is_spent_at_first(ledger: Spending) -> None:
    assert ledger.today() == Spent(0, 0)


def test_what_is_reserved_counts_until_it_is_settled(ledger: Spending) -> None:
    reserved = ledger.reserve(1, 500, PLENTY)
    assert ledger.today() == Spent(1, 500)

    ledger.settle(reserved, 120)

    assert ledger.today() == Spent(1, 120)


def test_more_than_was_reserved_is_written_down_too(ledger: Spending) -> None:
    ledger.settle(ledger.reserve(1, 500, PLENTY), 700)

    assert ledger.today() == Spent(1, 700)


def test_the_last_call_and_the_last_token_may_be_used(ledger: Spending) -> None:
    ledger.reserve(2, 100, Limits(2, 100))

    assert ledger.today() == Spent(2, 100)


@pytest.mark.parametrize(
    ("limits", "setting"), [(Limits(1, 1_000), "HEEDFUL_LLM_CALLS"), (Limits(9, 150), "HEEDFUL_LLM_TOKENS")]
)
def test_beyond_it_is_refused_with_what_to_do(ledger: Spending, limits: Limits, setting: str) -> None:
    ledger.reserve(1, 100, limits)

    with pytest.raises(BudgetSpent, match=setting) as raised:
        ledger.reserve(1, 100, limits)

    assert "00:00 UTC" in raised.value.hint
    assert ledger.today() == Spent(1, 100)


def test_a_limit_of_nought_allows_nothing_and_leaves_no_trace(ledger: Spending, loop: heedful.Loop) -> None:
    with pytest.raises(BudgetSpent):
        ledger.reserve(1, 1, Limits(0, 1_000))

    with loop.store.database.read(loop.name) as transaction:
        assert transaction.query("select * from spending", {}) == []


def test_the_next_day_begins_at_midnight_utc(ledger: Spending, clock: FrozenClock) -> None:
    clock.now = datetime(2026, 1, 5, 23, 59, 59, tzinfo=UTC)
    reserved = ledger.reserve(1, 100, Limits(1, 100))
    clock.advance(seconds=1)

    ledger.reserve(1, 100, Limits(1, 100))
    ledger.settle(reserved, 0)

    assert ledger.today() == Spent(1, 100)
    clock.advance(seconds=-1)
    assert ledger.today() == Spent(1, 0)


def test_organisations_have_budgets_of_their_own(loop: heedful.Loop) -> None:
    loop.store.spending.reserve(1, 100, Limits(1, 100))

    other = loop.org("globex").store.spending

    assert other.today() == Spent(0, 0)
    other.reserve(1, 100, Limits(1, 100))


def test_money_cannot_be_undone_so_it_is_not_spent_inside_a_transaction(loop: heedful.Loop, ledger: Spending) -> None:
    with loop.transaction(), pytest.raises(InvalidInput, match="inside a transaction"):
        ledger.reserve(1, 100, PLENTY)

    assert ledger.today() == Spent(0, 0)


def test_a_model_within_a_budget_writes_down_what_it_took(ledger: Spending) -> None:
    with llm_server() as server:
        server.will(chat('{"yes": true}', tokens=40), chat("perhaps", tokens=20), problem(500, "oops"))
        endpoint = Endpoint("compatible", "small", f"{server.url}/v1", "none", "HEEDFUL_LLM")
        model = BudgetedModel(OpenAIModel(endpoint), ledger, PLENTY)

        for error in (None, BadAnswer, ProviderUnreachable):
            with pytest.raises(error) if error else nullcontext():
                model.answer("Yes or no?", [ModelMessage("user", "Hello")], YesOrNo)

    assert ledger.today() == Spent(3, 60)


def _take(database: str, wanted: int, limits: Limits) -> int:
    """How many of the calls that were wanted were granted. It settles, as a model would."""
    granted = 0
    with heedful.open(database, org="acme", clock=FrozenClock()) as loop:
        ledger = loop.store.spending
        for _ in range(wanted):
            try:
                ledger.settle(ledger.reserve(1, 10, limits), 7)
            except BudgetSpent:
                continue
            granted += 1
    return granted


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_of_those_who_race_for_the_last_calls_no_more_get_one_than_there_are(
    open_loop: OpenLoop, database: str, kind: str
) -> None:
    ledger = open_loop().store.spending
    ledger.reserve(70, 490, Limits(100, 10_000))
    racers: Executor = (
        ThreadPoolExecutor(2)
        if kind == "threads"
        else ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    )

    with racers:
        granted = [racers.submit(_take, database, 25, Limits(100, 10_000)) for _ in range(2)]

    assert sum(each.result() for each in granted) == 30
    assert ledger.today() == Spent(100, 700)


def test_tokens_under_way_are_not_given_twice(loop: heedful.Loop, ledger: Spending) -> None:
    limits = Limits(1_000, 100)

    def reserve(_: int) -> bool:
        try:
            loop.store.spending.reserve(1, 30, limits)
        except BudgetSpent:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(reserve, range(16))) == 3

    assert ledger.today() == Spent(3, 90)
