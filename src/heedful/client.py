"""The client: the same stages as a loop, with a heedful server behind them.

    client = heedful.Client("http://127.0.0.1:8321", key)
    client.capture.event("MAPPING_CONFIRMED", actor="dana")

There is no second implementation: an operation that finds a server instead of a store asks the server.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Any, Self, cast
from urllib.parse import quote

import orjson
from uuid_utils import uuid7

from heedful import errors
from heedful.errors import HeedfulError, InvalidInput, InvalidPayload, MissingExtra, Unreachable
from heedful.loop import Stages
from heedful.model.event import Recorded
from heedful.model.operation import Operation
from heedful.model.webhook import Poster
from heedful.store import Store

try:
    import httpx2

    from heedful.wire import Wire, dump, wires
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingExtra(
        f"heedful.Client needs {error.name}.", hint="Install it: pip install 'heedful[client]'"
    ) from error

_PATIENCE = 30.0
_TRIES = 4
_LONGEST_PAUSE = 10.0
_NDJSON = {"content-type": "application/x-ndjson"}


class Client(Stages):
    """The learning loop of the organisation a key belongs to. Threads may share one."""

    def __init__(self, url: str, key: str, *, timeout: float = _PATIENCE) -> None:
        self._remote = Remote(url, key, timeout)
        super().__init__(cast("Store", self._remote), cast("Poster", None))

    @property
    def name(self) -> str:
        """The organisation the key belongs to."""
        return self.govern.me().org

    def close(self) -> None:
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heedful.Client of {self._remote.url}>"


class Remote:
    """What stands in for a store: it sends operations to a server, again if need be and harmless."""

    def __init__(self, url: str, key: str, timeout: float) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(f"{url!r} is not the address of a server.", hint="Pass http://127.0.0.1:8321.")
        if not key.isascii() or not key.isprintable() or not key.strip():
            raise InvalidInput("The key is not one of heedful's.", hint="Make one with `heedful keys create`.")
        self.url = url.rstrip("/")
        headers = {"authorization": f"Bearer {key}", "user-agent": f"heedful/{version('heedful')}"}
        self._http = httpx2.Client(base_url=f"{self.url}/v1", headers=headers, timeout=timeout)
        self._wires = {wire.operation.name: wire for wire in wires()}

    @property
    def remote(self) -> Self:
        return self

    def __getattr__(self, name: str) -> Any:
        raise errors.NotOffered(
            f"This works only on a loop in your own process (it needs its {name}).",
            hint="Open one with heedful.open() on the server's database, or use what the HTTP API offers.",
        )

    def __call__(self, operation: Operation, stage: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        bound = inspect.signature(operation.function).bind(stage, *args, **kwargs).arguments
        arguments = {name: value for name, value in list(bound.items())[1:] if value is not None}
        wire = self._wires[operation.name]
        if operation.streams:
            return self._stream(wire, arguments)
        if operation.creates:
            arguments.setdefault("id", str(uuid7()))  # so that trying again cannot make a second one
        path, beside = _address(wire, arguments)
        query = {name: _text(value) for name, value in beside.items()} if wire.in_query else None
        body = dump(beside) if beside and not wire.in_query else None
        answer = self._ask(wire, path, query, body)
        return wire.load(orjson.loads(answer))

    def _ask(self, wire: Wire, path: str, query: Mapping[str, str] | None, body: bytes | None) -> bytes:
        harmless = wire.in_query or wire.operation.creates
        for attempt in range(1, _TRIES + 1):
            try:
                response = self._http.request(
                    wire.operation.verb, path, params=query, content=body, headers={"content-type": "application/json"}
                )
                if response.is_success:
                    return bytes(response.content)
                raise _error(response)
            except (errors.TooManyRequests, errors.StoreError, Unreachable, httpx2.TransportError) as error:
                known = error if isinstance(error, HeedfulError) else self._unreachable(error)
                if attempt == _TRIES or not (harmless or isinstance(known, errors.TooManyRequests)):
                    raise known from None
                time.sleep(_pause(known, attempt))
        raise AssertionError("unreachable")

    def _stream(self, wire: Wire, arguments: dict[str, Any]) -> Iterator[Recorded | HeedfulError]:
        items = arguments.pop("items")
        query = {name: _text(value) for name, value in arguments.items()}
        try:
            with self._http.stream(
                "POST", wire.operation.path, params=query, content=_lines(items), headers=_NDJSON
            ) as response:
                if not response.is_success:
                    response.read()
                    raise _error(response)
                for line in response.iter_lines():
                    told = orjson.loads(line)
                    if "line" in told:
                        yield _known(told["problem"]) if "problem" in told else Recorded(told["id"], told["seq"])
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            f"The heedful server at {self.url} did not answer: {type(error).__name__}.",
            hint="Check the address, and that `heedful serve` runs.",
        )

    def close(self) -> None:
        self._http.close()


def _address(wire: Wire, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    path, beside = wire.operation.path, dict(arguments)
    for parameter in wire.in_path:
        value = beside.pop(parameter.name)
        if not isinstance(value, str) or not value.strip():
            raise errors.InvalidId(f"{parameter.name} is {value!r}.", hint="Pass it as text.")
        path = path.replace(f"{{{parameter.name}}}", quote(value, safe="", errors="replace"))
    return path, beside


def _text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ":".join(value)
    return value if isinstance(value, str) else orjson.dumps(value).decode().strip('"')


def _lines(items: Iterable[Any]) -> Iterator[bytes]:
    for item in items:
        try:
            line = item if isinstance(item, bytes) else dump(item)
        except (TypeError, ValueError) as error:
            raise InvalidPayload(f"An item is not JSON: {error}.", hint="Use dicts, lists, text and numbers.") from None
        yield line.strip() + b"\n"


def _pause(error: HeedfulError, attempt: int) -> float:
    asked = getattr(error, "retry_after", 0.0)
    return float(min(max(asked, 0.1 * 2**attempt), _LONGEST_PAUSE))


def _error(response: httpx2.Response) -> HeedfulError:
    try:
        problem = orjson.loads(response.content)
        error = _known(problem)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return Unreachable(
            f"The server answered {response.status_code}, and not as heedful does.", hint="Check the address."
        )
    if isinstance(error, errors.TooManyRequests):
        error.retry_after = float(response.headers.get("retry-after", 1))
    return error


def _known(problem: Mapping[str, Any]) -> HeedfulError:
    """The error as the server raised it."""
    kind = errors.by_code().get(problem["code"], HeedfulError)
    return kind(problem["detail"], hint=problem["hint"])
