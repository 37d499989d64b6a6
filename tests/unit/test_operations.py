"""An operation is one typed method: what is derived from it, and what cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import pytest

import heedful
from heedful import Event
from heedful.errors import Forbidden
from heedful.operations import policy
from heedful.operations.caller import Caller, acting
from heedful.operations.operation import offered, operation
from heedful.records.event import EntityPair
from heedful.records.names import Name
from heedful.records.page import Page
from heedful.records.role import Role
from heedful.wire import Wire, dump, wires


@dataclass(frozen=True, slots=True)
class Evidence:
    why: str
    event: Event
    others: tuple[Event, ...] = ()


class Rules:
    """What a later stage may look like."""

    def __init__(self, store: Any) -> None:
        self._store = store

    @operation("GET /rules/{rule}/versions/{version}", policy.EventPolicy.read, example={"rule": "a", "version": "1"})
    def version(self, rule: Name, version: Name) -> Page[Evidence]:
        """Look at a version."""
        raise NotImplementedError

    @operation("PATCH /rules/{id}", policy.EventPolicy.record, example={"id": "a", "tags": ["x"]})
    def change(self, id: Name, *, tags: Sequence[str] = (), entity: EntityPair | None = None) -> Evidence:
        """Change a rule."""
        raise NotImplementedError


class Stages:
    @cached_property
    def rules(self) -> Rules:
        return Rules(None)


@pytest.fixture
def rules() -> dict[str, Wire]:
    return {".".join(path): Wire(found, path) for path, found in offered(Stages)}


def _event(loop: heedful.Loop) -> Event:
    return loop.capture.event("FIELD_SET", entity=("rule", "a"), after={"n": 1})


def test_operations_are_found_by_walking_the_stages(rules: dict[str, Wire]) -> None:
    assert set(rules) == {"rules.version", "rules.change"}
    assert [p.name for p in rules["rules.version"].in_path] == ["rule", "version"]
    assert rules["rules.change"].operation.summary == "Change a rule"


def test_a_list_of_texts_is_a_list_and_an_entity_a_pair(rules: dict[str, Wire]) -> None:
    model = rules["rules.change"].beside_path_model()
    assert model is not None
    told: Any = model.model_validate({"tags": ["a", "b", "c"], "entity": {"kind": "rule", "id": "a"}})

    assert told.tags == ["a", "b", "c"]
    assert told.entity == ("rule", "a")


def test_an_answer_that_holds_events_comes_back_as_it_was(loop: heedful.Loop, rules: dict[str, Wire]) -> None:
    event = _event(loop)
    evidence = Evidence("because", event, (event,))
    change, version = rules["rules.change"], rules["rules.version"]

    assert change.load(orjson.loads(dump(evidence))) == evidence
    assert version.load(orjson.loads(dump(Page([evidence], "7")))) == Page([evidence], "7")


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("PUT /things", {}),
        ("GET /things/{id}", {}),
        ("GET /things", {"example": {"nonsense": 1}}),
        ("POST /things", {"creates": True}),
    ],
)
def test_a_slip_is_found_when_the_program_starts(address: str, options: dict[str, Any]) -> None:
    def method(self: Any, *, since: datetime | None = None) -> None:
        """Do it."""

    with pytest.raises(AssertionError):
        operation(address, policy.EventPolicy.read, **options)(method)


def test_every_operation_has_a_sentence_and_an_address_of_its_own() -> None:
    addresses = [(wire.operation.verb, wire.operation.path) for wire in wires()]

    assert len(set(addresses)) == len(addresses)
    assert all(wire.operation.summary for wire in wires())
    tools = [wire.operation.tool for wire in wires() if wire.operation.tool]
    assert len(set(tools)) == len(tools)


def test_a_key_of_another_organisation_does_nothing_here(loop: heedful.Loop) -> None:
    with acting(Caller("globex", Role.ADMIN, "k", "k")), pytest.raises(Forbidden, match="another organisation"):
        loop.capture.event("FIELD_SET")


def test_what_only_the_owner_may_do_no_key_can(loop: heedful.Loop) -> None:
    with acting(Caller("acme", Role.ADMIN, "k", "k")):
        for forbidden in (
            lambda: loop.govern.set_tier("free"),
            lambda: loop.jobs.put(heedful.JobRequest("work")),
            lambda: loop.govern.access.sign_in_link("k"),
        ):
            with pytest.raises(Forbidden, match="No key has permission"):
                forbidden()


@pytest.mark.parametrize("wire", wires(), ids=lambda wire: wire.id)
def test_a_summary_is_a_whole_sentence(wire: Wire) -> None:
    """It is the first line of the docstring: a sentence that goes on in the second line would be cut off."""
    text = (wire.operation.function.__doc__ or "").strip()
    assert "\n" not in text.partition("\n\n")[0]


def test_what_needs_a_name_is_not_taken_by_its_place(tmp_path: Path) -> None:
    with heedful.open(tmp_path / "some.db") as loop:
        taught = loop.capture.correction("cart", "basket")
        with pytest.raises(TypeError, match="too many positional"):
            loop.govern.learnings.rate(taught.id, "up")  # type: ignore[call-arg, arg-type]
        assert loop.govern.learnings.get(taught.id) == taught
