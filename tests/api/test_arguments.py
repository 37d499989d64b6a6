"""Arguments are told the same way everywhere: walks over all operations, in the library, the client and over HTTP."""

from __future__ import annotations

import inspect
import math
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from enum import EnumMeta
from itertools import product
from typing import Any, Literal, get_args, get_origin

import httpx2
import orjson
import pytest

import heedful
from heedful.errors import BadRequest, HeedfulError, InvalidInput, InvalidTime
from heedful.loop import Stages
from heedful.operations.operation import UNCHANGED, Operation
from heedful.records.clock import When
from heedful.records.page import Page
from heedful.wire import STAGES, Wire, wires
from tests.serving import Served
from tests.typed import corrections, insights

NAIVE = datetime(2026, 1, 5, 9)  # noqa: DTZ001
Call = Callable[[Wire, dict[str, Any]], Any]


class Ways:
    """One organisation, and the ways to it."""

    def __init__(self, served: Served, org: str) -> None:
        key = served.key(org=org)
        self.loop = served.loop.org(org)
        self.client = heedful.Client(served.url, key)
        self._http = httpx2.Client(base_url=f"{served.url}/v1", headers={"authorization": f"Bearer {key}"})
        self.calls: dict[str, Call] = {
            "loop": lambda wire, told: wire.call(self.loop, told),
            "client": lambda wire, told: wire.call(self.client, told),
            "http": self.over_http,
        }

    def over_http(self, wire: Wire, told: dict[str, Any]) -> Any:
        """As a program in another language would ask."""
        path, beside = wire.operation.path, dict(told)
        for parameter in wire.in_path:
            path = path.replace(f"{{{parameter.name}}}", str(beside.pop(parameter.name)))
        if wire.in_query:
            answer = self._http.request(wire.operation.verb, path, params={n: _text(v) for n, v in beside.items()})
        else:
            body = _body(beside) if beside else None
            headers = {"content-type": "application/json"}
            answer = self._http.request(wire.operation.verb, path, content=body, headers=headers)
        if answer.is_success:
            return answer.json()
        problem = answer.json()
        raise heedful.errors.by_code()[problem["code"]](problem["detail"], hint=problem["hint"])

    def close(self) -> None:
        self.client.close()
        self._http.close()


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['kind']}:{value['id']}"
    return value if isinstance(value, str) else orjson.dumps(value).decode().strip('"')


def _body(told: dict[str, Any]) -> bytes:
    """NaN as Python's json writes it; nobody else does."""
    whole = [name for name, value in told.items() if not (isinstance(value, float) and not math.isfinite(value))]
    text = orjson.dumps({name: told[name] for name in whole}).decode()
    odd = [f'"{name}": {"NaN" if math.isnan(told[name]) else "Infinity"}' for name in told.keys() - set(whole)]
    return ("{" + ", ".join(part for part in (text[1:-1], *odd) if part) + "}").encode()


@pytest.fixture
def ways(one_server: Served) -> Iterator[Ways]:
    found = Ways(one_server, f"org-{uuid.uuid4()}")
    yield found
    found.close()


def _leaves(hint: Any) -> Iterator[Any]:
    parts = get_args(hint)
    if parts and get_origin(hint) is not Literal:
        for part in parts:
            yield from _leaves(part)
    else:
        yield hint


def _told(wire: Wire, name: str) -> dict[str, Any]:
    """The example, without what does not go with the argument, under an id of its own."""
    told = {key: value for key, value in wire.operation.example.items() if key != "period"}
    known = {parameter.name for parameter in wire.operation.parameters}
    return told | ({"id": str(uuid.uuid4())} if wire.operation.creates and "id" in known and name != "id" else {})


def _outcome(call: Call, wire: Wire, told: dict[str, Any]) -> HeedfulError | None:
    try:
        call(wire, told)
    except HeedfulError as error:
        return error
    return None


def _parameters(*kinds: Any) -> list[tuple[Wire, str]]:
    return [
        (wire, parameter.name)
        for wire in wires()
        for parameter in wire.operation.parameters
        if any(leaf in kinds for leaf in _leaves(wire.operation.hints()[parameter.name]))
        and wire.operation.upload is None  # those need a file: see test_documents.py
    ]


TIMED = _parameters(datetime, date)
COUNTED = _parameters(int, float)
FLAGS = [(wire, name) for wire, name in _parameters(bool) if not wire.operation.streams]
ENUMS = [
    (wire, parameter.name)
    for wire in wires()
    for parameter in wire.operation.parameters
    if any(isinstance(leaf, EnumMeta) for leaf in _leaves(wire.operation.hints()[parameter.name]))
    and parameter.default is not UNCHANGED
]
PATCHES = [wire for wire in wires() if wire.operation.verb == "PATCH" and wire.attributes[0] == "govern"]


def _id(value: object) -> str:
    return value.id if isinstance(value, Wire) else str(value)


def test_the_walks_find_what_they_look_for() -> None:
    assert {"capture.event", "log.page", "measure.statistics", "govern.webhooks.replay"} <= {w.id for w, _ in TIMED}
    assert {"capture.fix", "apply.context", "govern.keys.create"} <= {wire.id for wire, _ in COUNTED}
    assert {"capture.fix", "govern.keys.create", "jobs.page"} <= {wire.id for wire, _ in ENUMS}
    assert {wire.id for wire in PATCHES} == {"govern.set_privacy", "govern.learnings.edit", "govern.proposals.edit"}


@pytest.mark.parametrize(("wire", "name"), TIMED, ids=_id)
def test_whatever_takes_a_time_takes_dates_and_datetimes_and_their_texts(ways: Ways, wire: Wire, name: str) -> None:
    times = [date(2026, 1, 5), datetime(2026, 1, 5, 9, tzinfo=UTC), "2026-01-05", "2026-01-05T09:00:00+02:00"]
    if When in get_args(wire.operation.hints()[name]):
        times += ["90m", "12h", "7d", "4w"]
    for (way, call), at in product(ways.calls.items(), times):
        refused = _outcome(call, wire, _told(wire, name) | {name: at})
        assert not isinstance(refused, InvalidInput), (way, at, refused)
    for (way, call), at in product(ways.calls.items(), [NAIVE, "soon", "7 d", 7]):
        refused = _outcome(call, wire, _told(wire, name) | {name: at})
        assert isinstance(refused, InvalidTime), (way, at, refused)
        assert name in refused.message, (way, at, refused)


@pytest.mark.parametrize(("wire", "name"), COUNTED, ids=_id)
def test_no_number_may_be_infinite_or_none_at_all(ways: Ways, wire: Wire, name: str) -> None:
    for (way, call), number in product(ways.calls.items(), (math.nan, math.inf, -math.inf)):
        refused = _outcome(call, wire, _told(wire, name) | {name: number})
        assert isinstance(refused, (InvalidInput, BadRequest)), (way, number, refused)
        assert way == "http" or isinstance(refused, InvalidInput), (way, number, refused)


@pytest.mark.parametrize(("wire", "name"), FLAGS, ids=_id)
def test_what_is_true_or_false_is_nothing_else(ways: Ways, wire: Wire, name: str) -> None:
    for (way, call), value in product(ways.calls.items(), ("no", "yes", 2, [])):
        refused = _outcome(call, wire, _told(wire, name) | {name: value})
        assert isinstance(refused, InvalidInput), (way, value, refused)


@pytest.mark.parametrize(("wire", "name"), ENUMS, ids=_id)
def test_whatever_takes_an_enum_takes_its_words(ways: Ways, wire: Wire, name: str) -> None:
    leaves = list(_leaves(wire.operation.hints()[name]))
    (kind,) = [leaf for leaf in leaves if isinstance(leaf, EnumMeta)]
    words = [word for leaf in leaves if get_origin(leaf) is Literal for word in get_args(leaf)]
    assert words == [known.value for known in kind]  # type: ignore[var-annotated]

    for (way, call), word in product(ways.calls.items(), words):
        refused = _outcome(call, wire, _told(wire, name) | {name: word})
        assert not isinstance(refused, InvalidInput), (way, word, refused)


@pytest.mark.parametrize("wire", PATCHES, ids=_id)
def test_a_change_leaves_alone_what_it_is_not_told_and_takes_none_for_none(ways: Ways, wire: Wire) -> None:
    fields = [parameter for parameter in wire.beside_path if parameter.name not in ("by", "digest")]  # who, and of what
    for parameter in fields:
        assert parameter.default is UNCHANGED, parameter.name
        for way, call in ways.calls.items():
            told = {
                name: value for name, value in wire.operation.example.items() if f"{{{name}}}" in wire.operation.path
            }
            try:
                made = call(wire, told | {parameter.name: None})
            except InvalidInput:
                assert type(None) not in _leaves(wire.operation.hints()[parameter.name]), (way, parameter.name)
            else:
                made = made if isinstance(made, dict) else made.to_dict()
                assert made[parameter.name] is None, (way, parameter.name)


def test_limits_of_what_is_kept_can_be_lifted_and_what_is_read_can_be_written(ways: Ways) -> None:
    for stages in (ways.loop, ways.client):
        stages.govern.set_privacy(max_data_age="90d", max_records=7)
        assert (stages.govern.privacy().max_data_age, stages.govern.privacy().max_records) == ("90d", 7)
        free = stages.govern.set_privacy(max_data_age=None, max_records=None)
        assert (free.max_data_age, free.max_records) == (None, None)
        assert stages.govern.set_privacy(**free.to_dict()) == free


def test_none_is_told_to_the_server_where_it_differs_from_saying_nothing(ways: Ways) -> None:
    for right in ("30 days", "60 days"):
        ways.loop.capture.correction("14 days", right, query="how long do refunds take?")
    asked: list[Callable[[Stages], Any]] = [
        lambda stages: [one.learning for one in stages.apply.search("refunds take 14 days", status=None)],
        lambda stages: corrections(stages).page(status=None).items,
        lambda stages: insights(stages).page(status=None).items,
        lambda stages: stages.govern.proposals.page(status=None).items,
    ]
    found = [ask(ways.loop) for ask in asked]

    assert [len(one) for one in found] == [2, 2, 0, 0]
    assert [ask(ways.client) for ask in asked] == found


def _stages(kind: Any) -> Iterator[Any]:
    """Every class that holds operations."""
    yield kind
    for _, member in inspect.getmembers_static(kind):
        if hasattr(member, "func") and "return" in (
            hints := inspect.get_annotations(member.func, locals=STAGES, eval_str=True)
        ):
            yield from _stages(hints["return"])


def _words(function: Any) -> set[str]:
    signature = inspect.signature(function)
    return {
        name
        for parameter in signature.parameters.values()
        for name in (
            inspect.get_annotations(_unpacked(function)).keys()
            if parameter.kind is parameter.VAR_KEYWORD
            else (parameter.name,)
        )
    } - {"self"}


def _unpacked(function: Any) -> Any:
    return get_args(inspect.get_annotations(function, locals=vars(heedful.log), eval_str=True)["wanted"])[0]


def test_every_listing_takes_the_same_words() -> None:
    paged = [stage for stage in _stages(Stages) if hasattr(stage, "page")]
    assert len(paged) >= 5

    for stage in paged:
        assert _words(stage.all) == _words(stage.page), stage
    assert _words(Stages.events) == _words(heedful.log.Log.page)
    for wire in wires():
        operation: Operation = wire.operation
        known = {parameter.name for parameter in operation.parameters}
        if get_origin(operation.hints()["return"]) is Page:
            assert {"limit", "cursor"} <= known, wire.id
        if wire.attributes[-1] == "all":
            assert "limit" in known, wire.id


def test_a_listing_gives_as_many_as_are_wanted_from_the_cursor_on(ways: Ways) -> None:
    for number in range(4):
        ways.loop.capture.correction(f"wrong number {number}", f"right number {number}", about=f"topic {number}")
    for stages in (ways.loop, ways.client):
        listing = corrections(stages)
        first = listing.page(limit=1)
        assert [one.about for one in listing.all(limit=2)] == ["topic 3", "topic 2"]
        assert [one.about for one in listing.all(limit=2, cursor=first.next)] == ["topic 2", "topic 1"]
        assert [one.about for one in listing.all(about="topic 1")] == ["topic 1"]
        assert list(listing.all(limit=0)) == []
        assert [event.seq for event in stages.log.all(limit=2, cursor="1")] == [2, 3]
        with pytest.raises(InvalidInput, match="limit is -1"):
            listing.all(limit=-1)
