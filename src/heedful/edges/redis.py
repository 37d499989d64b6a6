"""A Redis stream of reviewers' decisions: each message is recorded as a review, and only then acknowledged.

What a consumer read and did not acknowledge stays pending in Redis. It reads that again after a restart or a lost
connection, and takes over what dead consumers of its group left. So a message may be handled twice; the id of the
decision makes it one review. A message that can never be recorded moves to the dead letter stream.
"""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from redis import ConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import AuthenticationError, RedisError, ResponseError
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry

from heedful.errors import (
    Conflict,
    HeedfulError,
    Internal,
    InvalidInput,
    InvalidTime,
    Misconfigured,
    ProviderError,
    StoreError,
    Unreachable,
)
from heedful.loop import Loop
from heedful.records.clock import moment, utc_now
from heedful.records.json import parse
from heedful.records.review import Review
from heedful.records.watching import unfailing

Fields = Mapping[bytes, bytes]
"""The fields of a stream entry; empty if it was deleted from the stream while it was pending."""

ConsumerOutcome = Literal["joined", "recorded", "dead_letter", "deleted", "waiting", "idle"]

_FIRST, _NEW = "0", ">"  # the first message that this consumer did not acknowledge; the next that nobody has read
_POLL_SECONDS = 1.0
_ANSWER_SECONDS = 10.0
_BREATH_SECONDS = 0.1
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds
_CLAIMED_AT_ONCE = 10
_MOST_DELIVERIES = 20
_ATTEMPTS = 3  # at a message that makes heedful fail in an unexpected way

_DOCUMENTS = ("data", "payload", "json", "event")  # `event` comes last: it may be the name of the event's type
_NOTHING = (None, "", "null")
_REQUIRED = ("decision_id", "decision")
_TEXTS = {
    "decision_id": "id",
    "decision": "decision",
    "gate_id": "gate",
    "epic_id": "epic",
    "task_id": "task",
    "reviewer_id": "reviewer",
    "reviewer_comment": "comment",
    "agent_output_sha": "output_sha",
    "approved_output_sha": "approved_sha",
    "correction_diff_path": "diff_path",
    "output": "output",
    "approved_output": "approved",
    "correction_diff": "diff",
}
"""The texts of a message, and what they are called in a review."""
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class ConsumerProgress:
    """Passed to the `watch` callback of a consumer."""

    outcome: ConsumerOutcome
    message: str | None = None
    """The id of the stream entry."""
    review: Review | None = None
    error: HeedfulError | None = None
    """Why a message is a dead letter, or what is waited for."""


class Consumer:
    """Follows a stream as a member of a consumer group until `stop`.

    Reads one message at a time: recording takes far longer than reading, and consumers share the work evenly. While
    Redis or the database fails, it waits and tries again.
    """

    def __init__(
        self,
        loop: Loop,
        client: Redis,
        *,
        stream: str,
        group: str,
        name: str,
        dead_letter: str,
        agent: str | None = None,
        claim_after: timedelta = timedelta(seconds=60),
        watch: Callable[[ConsumerProgress], None] = lambda _: None,
    ) -> None:
        """`name` should stay the same after a restart. `agent` is who made the output, if a message does not say so."""
        if stream == dead_letter:
            raise InvalidInput("The dead letter stream is the stream itself.", hint="Pass another --dead-letter.")
        self._loop = loop
        self._redis = client
        self._stream, self._group, self._name, self._dead_letter = stream, group, name, dead_letter
        self._agent = agent
        self._claim_after = claim_after
        self._watch = watch
        self._stopping = False
        self._next_claim = 0.0
        self._unfinished = True
        self._joined = False

    def run(self, *, once: bool = False) -> None:
        """Raises if Redis cannot be used at first. With `once`, ends when nothing is left to read."""
        try:
            self._join()
            self._claim()
        except RedisError as error:
            raise self._failure(error) from None
        self._tell("joined")
        failures = 0
        while not self._stopping:
            try:
                worked = self._step(wait=not once)
            except RedisError as error:
                self._unfinished, self._joined = True, False  # the lost answer may have been a message
                self._wait(self._failure(error), failures)
                failures += 1
                continue
            failures = 0
            if once and not worked:
                return

    def stop(self) -> None:
        """Reads no more messages. Safe to call from a signal handler."""
        self._stopping = True

    def _step(self, *, wait: bool) -> bool:
        """Handles one message, if there is any."""
        if not self._joined:
            self._join()
        if (entry := self._unacknowledged()) is not None:
            self._handle(*entry, again=True)
        elif (entry := self._read(_NEW, block=round(_POLL_SECONDS * 1000) if wait else None)) is not None:
            self._handle(*entry)
        else:
            self._tell("idle")
        return entry is not None

    def _unacknowledged(self) -> tuple[bytes, Fields] | None:
        """What this consumer has read before, or a dead one."""
        while True:
            if self._unfinished and (entry := self._read(_FIRST)) is not None:
                return entry
            self._unfinished = False
            if time.monotonic() < self._next_claim:
                return None
            self._claim()

    def _join(self) -> None:
        """Creates the group if there is none: also after a Redis that keeps nothing was restarted."""
        try:
            self._redis.xgroup_create(self._stream, self._group, id="0", mkstream=True)
        except ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        self._joined = True

    def _claim(self) -> None:
        """Takes over messages that were read long ago and never acknowledged. They are then read as this consumer's."""
        cursor: Any = "0-0"
        idle = round(self._claim_after.total_seconds() * 1000)
        while True:
            cursor, found, *_ = self._redis.xautoclaim(
                self._stream, self._group, self._name, idle, cursor, count=_CLAIMED_AT_ONCE
            )
            if found:
                self._unfinished = True
                return  # looks for more after these: other consumers take their share
            if cursor == b"0-0":
                self._next_claim = time.monotonic() + self._claim_after.total_seconds() / 4
                return

    def _read(self, start: str, block: int | None = None) -> tuple[bytes, Fields] | None:
        found: Any = self._redis.xreadgroup(self._group, self._name, {self._stream: start}, count=1, block=block)
        entries = found[0][1] if found else []
        return (entries[0][0], entries[0][1] or {}) if entries else None

    def _handle(self, id: bytes, fields: Fields, *, again: bool = False) -> None:
        if not fields:
            self._acknowledge(id)
            self._tell("deleted", id)
            return
        try:
            if again:
                self._require_few_deliveries(id)
            review = self._record(arguments(fields, self._agent))
        except (InvalidInput, Conflict, Internal) as error:
            self._bury(id, fields, error)
            self._tell("dead_letter", id, error=error)
            return
        if review is not None:
            self._acknowledge(id)
            self._tell("recorded", id, review=review)

    def _record(self, arguments: Mapping[str, Any]) -> Review | None:
        """Tries until the database works again; None if it is stopped before."""
        unexpected = 0
        for failures in count():
            try:
                return self._loop.capture.review(**arguments)
            except (StoreError, ProviderError) as error:
                passing: HeedfulError = error
            except HeedfulError:
                raise
            except Exception as error:  # the outer edge: one message must not stop all others
                passing = _internal(error)
                unexpected += 1
                if unexpected == _ATTEMPTS:
                    raise passing from error
            if not self._wait(passing, failures):
                break
        return None

    def _require_few_deliveries(self, id: bytes) -> None:
        """A message that ends every process that reads it would be read for ever."""
        pending: Any = self._redis.xpending_range(self._stream, self._group, min=id, max=id, count=1)
        deliveries = pending[0]["times_delivered"] if pending else 0
        if deliveries > _MOST_DELIVERIES:
            raise Internal(
                f"The message was delivered {deliveries} times, and never acknowledged.",
                hint="See in the logs how the consumers ended.",
            )

    def _bury(self, id: bytes, fields: Fields, error: HeedfulError) -> None:
        """Acknowledged afterwards: dying in between leaves two dead letters with the same id, and not none."""
        why = {"reason": str(error), "code": error.code, "id": id, "time": utc_now().isoformat()}
        entry: dict[Any, Any] = {**fields, **{f"dead_letter_{name}": value for name, value in why.items()}}
        self._redis.xadd(self._dead_letter, entry)
        self._acknowledge(id)

    def _acknowledge(self, id: bytes) -> None:
        self._redis.xack(self._stream, self._group, id)

    def _wait(self, error: HeedfulError, failures: int) -> bool:
        """Waits twice as long after each failure. Returns whether to try again."""
        self._tell("waiting", error=error)
        until = time.monotonic() + min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(failures, 10))
        while not self._stopping and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _BREATH_SECONDS))  # an Event that a signal handler sets could lock up here
        return not self._stopping

    def _tell(self, outcome: ConsumerOutcome, id: bytes | None = None, **facts: Any) -> None:
        progress = ConsumerProgress(outcome, None if id is None else id.decode(), **facts)
        unfailing(partial(self._watch, progress))

    @property
    def _place(self) -> str:
        """The address of the server, without its password."""
        options = self._redis.get_connection_kwargs()
        where = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
        return f"{where}/{options.get('db', 0)}"

    def _failure(self, error: RedisError) -> HeedfulError:
        if isinstance(error, NoConnection | NoAnswer) and not isinstance(error, AuthenticationError):
            said = f"Redis at {self._place} cannot be reached: {error}"
            return Unreachable(said, hint="Check the address, and that the server runs.")
        return Misconfigured(
            f"Redis at {self._place} refused: {error}",
            hint="heedful needs Redis 6.2 or newer, streams under these names, and permission to use them.",
        )


def connect(url: str) -> Redis:
    """A client that connects when it is first used."""
    try:
        if urlsplit(url).scheme != "unix" and not re.fullmatch(r"/?[0-9]*", urlsplit(url).path):
            raise ValueError(url)  # noqa: TRY301 - the driver would use database 0
        options = {
            **parse_url(url),  # type: ignore[no-untyped-call]
            "decode_responses": False,  # a message may be anything
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),  # a driver that reads again would skip the message in the lost answer
            "socket_timeout": _POLL_SECONDS + _ANSWER_SECONDS,
            "socket_connect_timeout": _ANSWER_SECONDS,
        }
        pool = ConnectionPool(**options)
        pool.make_connection()  # without connecting: options in the address that do not exist are found here
    except (TypeError, ValueError):
        raise InvalidInput(
            "This is not the address of a Redis server.",
            hint="Pass redis://host:6379/0, rediss://host:6379/0 with TLS, or unix:///path/to/redis.sock.",
        ) from None
    return Redis(connection_pool=pool)


def arguments(fields: Fields, agent: str | None = None) -> dict[str, Any]:
    """The arguments of `capture.review` for a message: its fields, or one field with all of them as JSON."""
    given = _given(fields)
    if missing := [name for name in _REQUIRED if name not in given]:
        raise InvalidInput(f"{missing[0]} is missing.", hint=f"Send {' and '.join(_REQUIRED)} in every message.")
    found: dict[str, Any] = {argument: _text(given, name) for name, argument in _TEXTS.items() if name in given}
    said = next((_text(given, name) for name in ("agent", "agent_name") if name in given), None)
    found["agent"] = said or agent or found.get("gate")
    if found["agent"] is None:
        raise InvalidInput("Nothing tells the agent.", hint="Send agent or gate_id in the message, or pass --agent.")
    for name, argument, read in (
        ("tags", "tags", _tags),
        ("review_duration_seconds", "seconds", _seconds),
        ("timestamp", "at", _time),
    ):
        if name in given:
            found[argument] = read(given[name])
    return found


def _given(fields: Fields) -> dict[str, Any]:
    """What the message says, without what is empty."""
    texts = {_decoded(name): _decoded(value) for name, value in fields.items()}
    name = next((name for name in _DOCUMENTS if name in texts), None)
    document = texts if name is None or "decision_id" in texts else parse(texts[name], name)
    if not isinstance(document, dict):
        raise InvalidInput(f"{name} is not a JSON object.", hint="Send the decision as an object with its fields.")
    return {name: value for name, value in document.items() if value not in _NOTHING}


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The message is not UTF-8.", hint="Send text as UTF-8.") from None


def _text(given: Mapping[str, Any], name: str) -> str:
    if isinstance(value := given[name], str):
        return value
    raise InvalidInput(f"{name} must be text, not {type(value).__name__}.", hint=f"Send {name} as a string.")


def _tags(value: Any) -> list[Any]:
    """A list, a list as JSON, or names with commas between them."""
    if isinstance(value, str):
        value = parse(value, "tags") if value.lstrip().startswith("[") else [tag.strip() for tag in value.split(",")]
    if not isinstance(value, list):
        raise InvalidInput("tags must be a list.", hint='Send ["one", "another"], or one,another.')
    return [tag for tag in value if tag != ""]


def _seconds(value: Any) -> int:
    number = _number(value)
    if number is None:
        raise InvalidInput(f"review_duration_seconds is {str(value)[:50]!r}.", hint="Send a number of seconds.")
    return round(number)


def _time(value: Any) -> datetime:
    """ISO 8601, in UTC if it names no zone; or seconds since 1970."""
    number = _number(value)
    try:
        if number is not None:
            return datetime.fromtimestamp(number, UTC)
        found = datetime.fromisoformat(value)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else moment(found, "timestamp")
    except (OSError, OverflowError, TypeError, ValueError):
        raise InvalidTime(
            f"timestamp is not a time: {str(value)[:50]!r}.", hint="Send 2026-01-05T09:00:00Z, or seconds since 1970."
        ) from None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _internal(error: Exception) -> Internal:
    """Names the line of code, and never the message of the exception, which may quote user data."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    return Internal(f"Internal error: {what}.", hint="Please report this line.")
