"""The reason is kept in the words it was given in."""

from __future__ import annotations

from heedful.text.because import reason_in
from tests.scoring import scored


@scored("pairs/reasons", at_least=1.0)
def test_a_reason_is_what_follows_because(message: str, why: str) -> None:
    assert reason_in(message) == why
