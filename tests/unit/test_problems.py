"""What the HTTP API tells of models that fail: enough to go on, and nothing about the servers behind it."""

from __future__ import annotations

import pytest

from heedful.edges.api import problems
from heedful.errors import BadAnswer, BudgetSpent, ProviderError, ProviderRefused, ProviderUnreachable


@pytest.mark.parametrize(
    ("kind", "status"), [(ProviderError, 502), (ProviderRefused, 502), (BadAnswer, 502), (ProviderUnreachable, 503)]
)
def test_a_model_that_fails_is_told_without_its_server(kind: type[ProviderError], status: int) -> None:
    told = problems.document(kind("llm.inside.example.com answered 500.", hint="Check HEEDFUL_LLM_URL."))

    assert (told["status"], told["code"]) == (status, kind.code)
    assert "inside" not in str(told)
    assert "HEEDFUL" not in str(told)


def test_a_spent_budget_is_told_as_it_is() -> None:
    told = problems.document(BudgetSpent("9 of 9 calls are used up.", hint="The next day begins at 00:00 UTC."))

    assert (told["status"], told["detail"]) == (429, "9 of 9 calls are used up.")
