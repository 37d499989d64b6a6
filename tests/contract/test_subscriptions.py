"""Following the log, on every database."""

from __future__ import annotations

import threading

import pytest

import heedful
from heedful import Event
from heedful.errors import InvalidId, InvalidInput, InvalidKind
from heedful.testing import sample_acts
from tests.conftest import OpenLoop


class Collector:
    """A subscriber that can be told to fail, or to wait."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.failing = False
        self.gate: threading.Event | None = None
        self.arrived = threading.Event()

    def __call__(self, event: Event) -> None:
        self.arrived.set()
        if self.gate is not None:
            self.gate.wait(30)
        if self.failing:
            raise ValueError("subscriber trouble")
        self.seen.append(event.seq)


@pytest.fixture
def collector() -> Collector:
    return Collector()


def test_a_named_subscriber_gets_every_event_in_order(loop: heedful.Loop, collector: Collector) -> None:
    loop.capture.events(sample_acts(450))
    subscription = loop.subscription(collector, name="audit")

    assert subscription.deliver_pending() == 450
    assert subscription.deliver_pending() == 0
    assert collector.seen == list(range(1, 451))


def test_a_named_subscriber_goes_on_where_it_stopped(loop: heedful.Loop, collector: Collector) -> None:
    loop.capture.events(sample_acts(3))
    loop.subscription(collector, name="audit").deliver_pending()
    loop.capture.events(sample_acts(2))

    loop.subscription(collector, name="audit").deliver_pending()

    assert collector.seen == [1, 2, 3, 4, 5]


def test_a_subscriber_without_a_name_gets_what_comes_next(loop: heedful.Loop, collector: Collector) -> None:
    loop.capture.events(sample_acts(3))
    subscription = loop.subscription(collector)
    loop.capture.event("FIELD_SET")

    subscription.deliver_pending()

    assert collector.seen == [4]


def test_a_subscriber_can_ask_for_one_kind(loop: heedful.Loop, collector: Collector) -> None:
    for kind in ("FIELD_SET", "CUSTOMER_SELECTED", "FIELD_SET"):
        loop.capture.event(kind)

    subscription = loop.subscription(collector, name="fields", kind="FIELD_SET")
    subscription.deliver_pending()

    assert collector.seen == [1, 3]
    assert subscription.position == 3


def test_a_failing_subscriber_gets_the_same_event_again(loop: heedful.Loop, collector: Collector) -> None:
    loop.capture.events(sample_acts(3))
    subscription = loop.subscription(collector, name="audit")
    collector.failing = True

    assert subscription.deliver_pending() == 0
    assert subscription.error == "ValueError: subscriber trouble"
    assert loop.store.subscriptions.all()["audit"].failures == 1
    loop.capture.event("FIELD_SET")

    collector.failing = False
    assert subscription.deliver_pending() == 4
    assert subscription.error is None
    assert collector.seen == [1, 2, 3, 4]


def test_a_slow_subscriber_does_not_hold_up_a_write(loop: heedful.Loop, collector: Collector) -> None:
    collector.gate = threading.Event()
    with loop.subscribe(collector, name="slow"):
        loop.capture.event("FIELD_SET")
        assert collector.arrived.wait(30)

        loop.capture.events(sample_acts(20))
        assert len(list(loop.events())) == 21
        assert collector.seen == []

        collector.gate.set()
    assert loop.subscription(collector, name="slow").deliver_pending() + len(collector.seen) >= 21


def test_a_subscriber_in_its_thread_hears_of_a_write(loop: heedful.Loop) -> None:
    heard = threading.Event()
    with loop.subscribe(lambda _: heard.set()):
        loop.capture.event("FIELD_SET")
        assert heard.wait(30)


def test_a_subscriber_hears_of_other_connections(open_loop: OpenLoop) -> None:
    heard = threading.Event()
    with open_loop().subscribe(lambda _: heard.set()):
        open_loop().capture.event("FIELD_SET")
        assert heard.wait(30)


def test_subscribers_are_told_only_what_was_committed(loop: heedful.Loop, collector: Collector) -> None:
    subscription = loop.subscription(collector, name="audit")
    with pytest.raises(RuntimeError), loop.transaction():
        loop.capture.event("FIELD_SET")
        raise RuntimeError

    assert subscription.deliver_pending() == 0


def test_nothing_is_delivered_inside_a_transaction(loop: heedful.Loop, collector: Collector) -> None:
    subscription = loop.subscription(collector, name="audit")
    with pytest.raises(InvalidInput, match="may yet be undone"), loop.transaction():
        loop.capture.event("FIELD_SET")
        subscription.deliver_pending()
    assert collector.seen == []


def test_names_and_kinds_of_subscriptions_are_checked(loop: heedful.Loop, collector: Collector) -> None:
    with pytest.raises(InvalidId):
        loop.subscription(collector, name="")
    with pytest.raises(InvalidKind):
        loop.subscription(collector, kind="no kind")
