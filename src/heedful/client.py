"""The client: the same stages as a loop, with a heedful server behind them.

    client = heedful.Client("http://127.0.0.1:8321", key)
    client.capture.event("MAPPING_CONFIRMED", actor="dana")

There is no second implementation: an operation without a store calls the server.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Self, cast, get_args
from urllib.parse import quote, urlsplit

import orjson
from uuid_utils import uuid7

from heedful import errors
from heedful.capture import Capture
from heedful.capture.documents.receiving import file_content
from heedful.errors import HeedfulError, InvalidInput, InvalidPayload, MissingExtra, Unreachable
from heedful.loop import Loop, Stages
from heedful.operations.operation import Operation
from heedful.records import names
from heedful.records.event import Entity, EventReceipt
from heedful.records.json import Json, encode, finite
from heedful.records.lines import act
from heedful.records.outside import Outside
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
_EVENT: Operation = Capture.event.operation  # type: ignore[attr-defined]
_NDJSON = {"content-type": "application/x-ndjson"}
_NOWHERE = Outside(
    poster=cast("Any", None),
    embedder=cast("Any", None),
    reader=cast("Any", None),
    language=None,
    pdf=cast("Any", None),
)  # the server reaches out
_PASSING = (errors.StoreError, errors.Closed, Unreachable)


class Client(Stages):
    """The learning loop of the organisation a key belongs to. Thread-safe."""

    def __init__(self, url: str, key: str, *, timeout: float = _PATIENCE) -> None:
        self._remote = Remote(url, key, timeout)
        super().__init__(cast("Store", self._remote), _NOWHERE)

    @property
    def name(self) -> str:
        return self.govern.me().org

    def close(self) -> None:
        self._remote.close()

    if not TYPE_CHECKING:  # a type checker says it earlier

        def __getattr__(self, name: str) -> Any:
            if hasattr(Loop, name):
                raise _not_offered(name)
            raise AttributeError(f"'Client' object has no attribute {name!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heedful.Client of {self._remote.url}>"


class Remote:
    """Replaces a store: sends operations to a server, and retries them if that is safe."""

    def __init__(self, url: str, key: str, timeout: float) -> None:
        if not _is_address(url):
            raise InvalidInput(f"{url!r} is not the address of a server.", hint="Pass http://127.0.0.1:8321.")
        if not _is_header(key):
            raise InvalidInput("This is not a key of heedful.", hint="Create one with `heedful keys create`.")
        self.url = url.rstrip("/")
        headers = {"authorization": f"Bearer {key}", "user-agent": f"heedful/{_version()}"}
        # Without TLS there are no certificates to load, which takes 35 ms; redirects are not followed.
        secure = self.url.lower().startswith("https:")
        self._http = httpx2.Client(base_url=f"{self.url}/v1", headers=headers, timeout=timeout, verify=secure)
        self._wires = {wire.operation: wire for wire in wires()}

    @property
    def remote(self) -> Self:
        return self

    def __getattr__(self, name: str) -> Any:
        raise _not_offered(name)

    def __call__(self, operation: Operation, stage: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        arguments = _given(operation, stage, args, kwargs)
        wire = self._wires[operation]
        if operation.streams:
            return self._stream(wire, arguments)
        if operation.creates and not operation.shows_secret:
            arguments.setdefault("id", str(uuid7()))  # so that trying again cannot make a second one
        file = None if operation.upload is None else _file(operation.upload, arguments)
        path, beside = _address(wire, arguments)
        query = {name: _texts(wire, name, value) for name, value in beside.items()} if wire.in_query else None
        body = _json(beside, _payloads(operation)) if beside and not wire.in_query else None
        answer = self._ask(wire, path, query, body if file is None else file)
        try:
            return wire.load(orjson.loads(answer))
        except (ValueError, LookupError, TypeError, AttributeError):
            raise _not_heedful("something else") from None

    def _ask(self, wire: Wire, path: str, query: Mapping[str, str | list[str]] | None, body: bytes | None) -> bytes:
        self._require_open()
        operation = wire.operation
        media = "application/json" if operation.upload is None else "application/pdf"
        harmless = operation.verb == "GET" or (operation.creates and not operation.shows_secret)
        for attempt in range(1, _TRIES + 1):
            try:
                response = self._http.request(
                    operation.verb, path, params=query, content=body, headers={"content-type": media}
                )
            except httpx2.InvalidURL as error:
                raise InvalidInput(f"The request is invalid: {error}.", hint="Pass shorter texts.") from None
            except httpx2.RequestError as error:
                known: HeedfulError = self._unreachable(error)
                passing = harmless
            else:
                if response.is_success:
                    return bytes(response.content)
                known = _error(response)
                ailing = response.status_code >= 500 and isinstance(known, _PASSING)
                passing = isinstance(known, errors.TooManyRequests) or (harmless and ailing)
            if attempt == _TRIES or not passing:
                raise known
            time.sleep(_pause(known, attempt))
        raise AssertionError("unreachable")

    def _stream(self, wire: Wire, arguments: dict[str, Any]) -> Iterator[EventReceipt | HeedfulError]:
        self._require_open()
        refused: dict[int, HeedfulError] = {}
        whole = bool(arguments.get("whole"))
        lines = _lines(arguments.pop("items"), refused, whole=whole)
        query = {name: _text(name, value) for name, value in arguments.items()}
        try:
            with self._http.stream(
                "POST", wire.operation.path, params=query, content=lines, headers=_NDJSON
            ) as response:
                if not response.is_success:
                    response.read()
                    raise _error(response)
                yield from _merged(_answers(response.iter_bytes(), whole=whole), refused)
        except httpx2.RequestError as error:
            raise self._unreachable(error) from error

    def _require_open(self) -> None:
        if self._http.is_closed:
            raise errors.Closed("This client is closed.", hint="Create a new one with heedful.Client().")

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            f"The heedful server at {self.url} did not answer: {type(error).__name__}.",
            hint="Check the address, and that `heedful serve` runs.",
        )

    def close(self) -> None:
        self._http.close()


def _version() -> str:
    try:
        return version("heedful")
    except PackageNotFoundError:
        return version("heedful-client")


def _given(operation: Operation, stage: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments to send: those that differ from their defaults."""
    signature = inspect.signature(operation.function)
    bound = list(signature.bind(stage, *args, **kwargs).arguments.items())[1:]
    return {name: value for name, value in bound if value is not signature.parameters[name].default}


def _file(name: str, arguments: dict[str, Any]) -> bytes:
    """Takes the file out of the arguments; its name goes with them."""
    content, own_name = file_content(arguments.pop(name))
    arguments.setdefault("name", own_name)
    return content


def _address(wire: Wire, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    path, beside = wire.operation.path, dict(arguments)
    for parameter in wire.in_path:
        value = names.identifier(beside.pop(parameter.name), parameter.name)
        path = path.replace(f"{{{parameter.name}}}", _segment(value))
    return path, beside


def _segment(value: str) -> str:
    """Escaped as one path segment: a plain `..` would go up."""
    return value.replace(".", "%2E") if value in (".", "..") else quote(value, safe="")


def _is_address(url: object) -> bool:
    if not isinstance(url, str) or any(character.isspace() for character in url):
        return False
    try:
        parts = urlsplit(url)
        httpx2.URL(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, httpx2.InvalidURL):
        return False
    return sound and not parts.query and not parts.fragment


def _is_header(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isprintable() and not key.isspace() and key != ""


def _texts(wire: Wire, name: str, value: Any) -> str | list[str]:
    if name in wire.lists and not isinstance(value, str):
        return [_text(name, one) for one in value]
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    _require_finite(name, value)
    if isinstance(value, (tuple, list, Mapping)):
        entity = Entity.of(value)
        if ":" in entity.kind:
            raise InvalidInput(
                f"Entity kinds in a query cannot contain colons: {entity.kind!r}.", hint="Use a kind without colons."
            )
        return f"{entity.kind}:{entity.id}"
    try:
        text = value if isinstance(value, str) else orjson.dumps(value).decode().strip('"')
        text.encode()
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass a value of the annotated type.") from None
    return text


def _require_finite(name: str, value: Any) -> None:
    """JSON would encode it as null, as if it were missing."""
    if not finite(value):
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass finite numbers: no NaN and no infinity.")


@cache
def _payloads(operation: Operation) -> frozenset[str]:
    return frozenset(name for name, hint in operation.hints().items() if Json in (hint, *get_args(hint)))


def _json(arguments: Mapping[str, Any], payloads: frozenset[str]) -> bytes:
    """The arguments as a body. Payloads are encoded as a loop would encode them, and rejected for the same reasons."""
    for name in arguments.keys() - payloads:
        _require_finite(name, arguments[name])
    body = {
        name: orjson.Fragment(encode(dict(value), name)) if name in payloads and isinstance(value, Mapping) else value
        for name, value in arguments.items()
    }
    try:
        return dump(body)
    except (TypeError, ValueError) as error:
        raise InvalidPayload(
            f"This is not JSON: {error}.", hint="Use dicts, lists, numbers, and text of valid Unicode."
        ) from None


def _lines(items: Iterable[Any], refused: dict[int, HeedfulError], *, whole: bool) -> Iterator[bytes]:
    """Records items that cannot be sent by their line number; the line stays empty."""
    for number, item in enumerate(items, 1):
        try:
            line = _line(item)
        except HeedfulError as error:
            if whole:
                error.item = number - 1
                raise
            refused[number] = error
            line = b""
        yield line + b"\n"


def _line(item: Any) -> bytes:
    if isinstance(item, bytes):
        if not item.strip():
            act(item)  # raises the specific error
        return item.strip().replace(b"\n", b" ")
    if not isinstance(item, Mapping):
        raise InvalidInput(
            f"An item cannot be recorded: it is a {type(item).__name__}.",
            hint="Each item is a dict with a kind and any other arguments of `event`.",
        )
    return _json(item, _payloads(_EVENT))


def _answers(pieces: Iterable[bytes], *, whole: bool) -> Iterator[tuple[int, EventReceipt | HeedfulError]]:
    """Each with its line number; with `whole`, the first rejected item raises."""
    rest, counted = b"", False
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            try:
                parsed = orjson.loads(line)
                if "line" not in parsed:
                    counted = "recorded" in parsed
                    continue
                answer = _known(parsed["problem"]) if "problem" in parsed else EventReceipt(parsed["id"], parsed["seq"])
                number = parsed["line"]
            except (ValueError, LookupError, TypeError):
                raise _not_heedful("something else") from None
            if whole and isinstance(answer, HeedfulError):
                answer.item = number - 1
                raise answer
            yield number, answer
    if not counted:  # as the last line of every answer does
        raise _not_heedful("something else")


def _merged(
    answers: Iterable[tuple[int, EventReceipt | HeedfulError]], refused: Mapping[int, HeedfulError]
) -> Iterator[EventReceipt | HeedfulError]:
    """The server's answers and local rejections, in the order of the items."""
    own = iter(sorted(refused.items()))
    waiting = next(own, None)
    for number, answer in answers:
        while waiting is not None and waiting[0] < number:
            yield waiting[1]
            waiting = next(own, None)
        yield answer
    if waiting is not None:
        yield waiting[1]
    yield from (error for _, error in own)


def _pause(error: HeedfulError, attempt: int) -> float:
    asked = getattr(error, "retry_after", 0.0)
    return float(min(max(asked, 0.1 * 2**attempt), _LONGEST_PAUSE))


def _error(response: httpx2.Response) -> HeedfulError:
    try:
        problem = orjson.loads(response.content)
        error = _known(problem)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return _not_heedful(str(response.status_code))
    if isinstance(error, errors.TooManyRequests):
        asked = response.headers.get("retry-after", "")
        error.retry_after = float(asked) if asked.isascii() and asked.isdigit() else 1.0
    return error


def _not_heedful(said: str) -> Unreachable:
    return Unreachable(f"The server answered {said}, which is not a response of heedful.", hint="Check the address.")


def _not_offered(name: str) -> errors.NotOffered:
    return errors.NotOffered(
        f"This works only on a loop in your own process (it needs its {name}).",
        hint="Open one with heedful.open() on the server's database, or use the HTTP API.",
    )


def _known(problem: Mapping[str, Any]) -> HeedfulError:
    kind = errors.by_code().get(problem["code"], HeedfulError)
    return kind(problem["detail"], hint=problem["hint"])
