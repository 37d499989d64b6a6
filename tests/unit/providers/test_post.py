"""Webhooks reach the public internet and what was allowed, and nothing else."""

from __future__ import annotations

import gc
import shutil
import socket
import ssl
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import HeedfulError, InvalidInput, Misconfigured, Unreachable
from heedful.providers.post import HttpPoster
from heedful.records.webhook import Poster

HOST = "hooks.example.com"
LOOPBACK = "127.0.0.0/8"
INSIDE_FOUR = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
]  # fmt: skip
INSIDE_SIX = [
    "::", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1", "64:ff9b:1::808:808", "100::1", "2001::1", "2001:0:808:808::1", "2001:10::1", "2001:db8::1",
    "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1",
    "ff02::1", "ff0e::1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


def _never(host: str, port: int) -> Sequence[str]:
    raise AssertionError(f"{host} must not be resolved")


def _to(*addresses: str) -> Callable[[str, int], Sequence[str]]:
    def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return resolve


PLAIN: Poster = HttpPoster(resolve=_never)
"""A poster as it is without settings."""


# --- What is written in the address ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com/in?x=1",
        "HTTPS://Hooks.Example.COM:8443",
        "https://hooks.example.com./in",
        "https://hooks.example.com:/in",
        "https://hooks.example.com?x=1",
        "https://xn--bcher-kva.example/in",
        "https://_a-b.example.com/in",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]:8443/",
        "https://localhost.example.com/",
        "https://example.com/" + "x" * 1980,
    ],
)
def test_public_addresses_are_fine(url: str) -> None:
    PLAIN.check(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "of the form https://"),
        ("hooks.example.com/in", "of the form https://"),
        ("//hooks.example.com/in", "of the form https://"),
        ("https:hooks.example.com", "of the form https://"),
        ("ftp://hooks.example.com/", "of the form https://"),
        ("file:///etc/passwd", "of the form https://"),
        ("gopher://127.0.0.1:6379/_x", "of the form https://"),
        ("https://hooks.example.com/#top", "#fragment"),
        ("https://hooks.example.com#", "#fragment"),
        ("https://me:pass@hooks.example.com/", "password"),
        ("https://@hooks.example.com/", "password"),
        ("https://hooks.example.com\\@127.0.0.1/", "password"),
        ("https://hooks.example.com\\.evil.com/", "no valid host"),
        ("https:///in", "no valid host"),
        ("https://:443/in", "no valid host"),
        ("https://hooks.example.com:0/", "no valid host and port"),
        ("https://hooks.example.com:65536/", "no valid host and port"),
        ("https://hooks.example.com:-1/", "no valid host and port"),
        ("https://hooks.example.com:http/", "no valid host and port"),
        ("https://hooks.example.com:1:2/", "no valid host and port"),
        ("https://evil[::1]/", "no valid host"),
        ("https://[::1]evil/", "no valid host"),
        ("https://[fe80::1%25eth0]/", "no valid host"),
        ("https://[127.0.0.1]/", "neither a host name nor an IP address"),
        ("https://[::1::]/", "neither a host name nor an IP address"),
        ("https://127.0.0.1%2f.example.com/", "no valid host"),
        ("https://a..example.com/", "neither a host name"),
        ("https://example.com../", "neither a host name"),
        ("https://-a.example.com/", "neither a host name"),
        ("https://" + "a" * 64 + ".example.com/", "neither a host name"),
        ("https://" + "a." * 130 + "com/", "neither a host name"),
        ("https://hooks.example.com/a b", "spaces"),
        (" https://hooks.example.com/", "spaces"),
        ("https://hooks.example.com/\r\nX: y", "spaces"),
        ("https://hooks.example.com/\n", "spaces"),
        ("https://hooks.example\t.com/", "spaces"),
        ("https://hooks.example.com/\x00", "spaces"),
        ("https://hooks.example.com/ü", "punycode"),
        ("https://①②⑦.0.0.1/", "punycode"),
        ("https://ⓛocalhost/", "punycode"),
        ("https://hooks.example.com/" + "x" * 2000, "longer than 2,000"),
        ("http://hooks.example.com/", "not encrypted"),
        ("http://8.8.8.8/", "not encrypted"),
        ("https://localhost/", "not on the public internet"),
        ("https://LOCALHOST./", "not on the public internet"),
        ("https://a.localhost/", "not on the public internet"),
        ("https://printer.local/", "not on the public internet"),
        ("https://metadata.google.internal/", "not on the public internet"),
        ("https://router.home.arpa/", "not on the public internet"),
        ("https://postgres:5432/", "not on the public internet"),
        ("https://169.254.169.254/latest/meta-data/", "not on the public internet"),
        ("https://127.0.0.1./", "not on the public internet"),
        ("https://127.0.0.1../", "neither a host name"),
        ("https://2130706433/", "neither a host name nor an IP address"),
        ("https://0x7f.1/", "neither a host name nor an IP address"),
        ("https://0177.0.0.1/", "neither a host name nor an IP address"),
        ("https://127.1/", "neither a host name nor an IP address"),
        ("https://0/", "neither a host name nor an IP address"),
        ("https://256.0.0.1/", "neither a host name nor an IP address"),
        ("https://1.2.3.4.5/", "neither a host name nor an IP address"),
        ("https://a.0x7f/", "neither a host name nor an IP address"),
    ],
)
def test_what_can_never_be_posted_to_is_refused_and_says_why(url: str, why: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        PLAIN.check(url)
    assert why in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("address", INSIDE_SIX)
def test_an_ipv6_address_that_is_inside_or_wraps_another_is_refused(address: str) -> None:
    for written in {address, address.upper(), IPv6Address(address).exploded}:
        with pytest.raises(InvalidInput, match="not on the public internet"):
            PLAIN.check(f"https://[{written}]/")


def _of(network: IPv4Network) -> st.SearchStrategy[IPv4Address]:
    return st.integers(int(network.network_address), int(network.broadcast_address)).map(IPv4Address)


inside_four = st.sampled_from(INSIDE_FOUR).map(IPv4Network).flatmap(_of)


@st.composite
def notations(draw: st.DrawFn) -> tuple[IPv4Address, str]:
    """An inside address in one of the many ways that resolvers read."""
    address = draw(inside_four)
    packed = address.packed
    count = draw(st.integers(1, 4))
    numbers = [*packed[: count - 1], int.from_bytes(packed[count - 1 :], "big")]
    styles = st.sampled_from(["{}", "0{:o}", "000{:o}", "0x{:x}", "0X{:X}", "0x00{:x}"])
    return address, ".".join(draw(styles).format(number) for number in numbers)


@given(notation=notations(), dot=st.sampled_from(["", "."]), scheme=st.sampled_from(["http", "https"]))
def test_an_inside_ipv4_address_is_refused_in_every_notation(
    notation: tuple[IPv4Address, str], dot: str, scheme: str
) -> None:
    address, written = notation
    assert socket.inet_aton(written) == address.packed
    with pytest.raises(InvalidInput):
        PLAIN.check(f"{scheme}://{written}{dot}/")


@given(
    inside=inside_four, wrapping=st.sampled_from(["::ffff:{}", "::{}", "64:ff9b::{}", "64:ff9b:1::{}", "2002:{six}::1"])
)
def test_an_inside_ipv4_address_is_refused_in_every_wrapping(inside: IPv4Address, wrapping: str) -> None:
    written = wrapping.format(inside, six=f"{int(inside) >> 16:x}:{int(inside) & 0xFFFF:x}")
    with pytest.raises(InvalidInput, match="not on the public internet"):
        PLAIN.check(f"https://[{written}]/")
    with pytest.raises(InvalidInput, match="not on the public internet"):
        HttpPoster(resolve=_to(written), context=_CONTEXT).post(f"https://{HOST}/", b"", {})


_CONTEXT = ssl.create_default_context()


@given(st.text() | st.from_regex(r"https?://[\[\]0-9a-fx:.%@\\]{1,30}(:\d*)?/?", fullmatch=True))
def test_whatever_the_text_is_it_is_fine_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        PLAIN.check(text)


# --- What is allowed although it is inside --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("10.0.0.0/8", "http://10.1.2.3:8080/in"),
        ("10.1.2.3", "https://10.1.2.3/"),
        ("127.0.0.0/8", "http://[::ffff:127.0.0.1]/"),
        ("::1/128", "http://[::1]:8000/"),
        ("::ffff:10.0.0.1", "http://[::ffff:10.0.0.1]/"),
        ("Hooks.Internal.", "http://hooks.internal/in"),
        ("hooks.internal", "https://HOOKS.internal./in"),
        ("localhost", "http://localhost:8000/"),
        ("hooks.example.com", "http://hooks.example.com/"),
    ],
)
def test_what_is_allowed_may_be_inside_and_without_tls(entry: str, url: str) -> None:
    HttpPoster(allowed=[entry], resolve=_never).check(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://11.0.0.1/",
        "http://a.hooks.internal/",
        "http://hooks.internal.evil.com/",
        "http://localhost/",
        "http://127.1/",
    ],
)
def test_what_is_allowed_is_meant_exactly(url: str) -> None:
    with pytest.raises(InvalidInput):
        HttpPoster(allowed=["10.0.0.0/8", "127.0.0.0/8", "hooks.internal"], resolve=_never).check(url)


@pytest.mark.parametrize(
    "entry", ["", " ", "10.0.0.1/8", "10.0.0.0/33", "*.internal", "http://x.internal", "a:80", "10.1"]
)
def test_a_wrong_allowance_is_named_with_the_setting_it_comes_from(entry: str) -> None:
    with pytest.raises(Misconfigured, match="HEEDFUL_WEBHOOK_ALLOW") as caught:
        HttpPoster(allowed=["10.0.0.0/8", entry])
    assert repr(entry) in caught.value.message


# --- Where a name leads ---------------------------------------------------------------------------------------------


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Nothing is connected to; what would have been is kept."""
    tried: list[Any] = []

    def create_connection(address: Any, timeout: float) -> None:
        tried.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", create_connection)
    return tried


@pytest.mark.parametrize("address", [*(network.split("/")[0] for network in INSIDE_FOUR), *INSIDE_SIX, "fe80::1%eth0"])
def test_a_name_that_leads_inside_is_refused_even_among_public_addresses(
    address: str, no_connection: list[Any]
) -> None:
    for addresses in ([address], ["8.8.8.8", address], [address, "8.8.8.8"]):
        with pytest.raises(InvalidInput, match="resolves to an address that is not on the public internet") as caught:
            HttpPoster(resolve=_to(*addresses), context=_CONTEXT).post(f"https://{HOST}/", b"", {})
        assert address not in caught.value.message
    assert no_connection == []


@pytest.mark.parametrize("address", PUBLIC)
def test_a_name_that_leads_outside_is_connected_to_by_its_address(address: str, no_connection: list[Any]) -> None:
    with pytest.raises(Unreachable, match=f"^{HOST} could not be reached: Connection refused"):
        HttpPoster(resolve=_to(address), context=_CONTEXT).post(f"https://{HOST}:8443/", b"", {})
    assert [(IPv6Address(host) if ":" in host else IPv4Address(host), port) for host, port in no_connection] == [
        (IPv6Address(address) if ":" in address else IPv4Address(address), 8443)
    ]


def test_an_address_is_not_resolved(no_connection: list[Any]) -> None:
    with pytest.raises(Unreachable):
        PLAIN.post("https://8.8.8.8/", b"", {})
    assert no_connection == [("8.8.8.8", 443)]


def test_a_refused_address_is_neither_resolved_nor_connected_to(no_connection: list[Any]) -> None:
    with pytest.raises(InvalidInput):
        PLAIN.post("https://localhost/", b"", {})
    assert no_connection == []


def test_a_name_that_does_not_exist_is_unreachable() -> None:
    def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for resolve in (unknown, _to()):
        with pytest.raises(Unreachable, match=f"^{HOST} could not be found"):
            HttpPoster(resolve=resolve).post(f"https://{HOST}/", b"", {})


# --- Real servers ---------------------------------------------------------------------------------------------------


@dataclass
class Receiver:
    """A web server on this machine that keeps what it gets."""

    port: int = 0
    status: int = 200
    answer: bytes = b"thanks"
    got: list[tuple[str, bytes, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str = "/in") -> str:
        return f"http://hooks.internal:{self.port}{path}"


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout: ClassVar[float] = 2

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
            self.send_response(receiver.status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(receiver.answer)

        def log_message(self, format: str, *args: Any) -> None: ...

    return Handler


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what is tested here."""


def _serve(receiver: Receiver, context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    server = QuietServer(("127.0.0.1", 0), _handler(receiver))
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield receiver
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    yield from _serve(Receiver())


def _here(**options: Any) -> HttpPoster:
    return HttpPoster(**{"allowed": ["hooks.internal"], "resolve": _to("127.0.0.1"), "context": _CONTEXT, **options})


def test_a_post_arrives_as_it_was_sent(receiver: Receiver) -> None:
    body = b'{"a": 1}'
    headers = {"Content-Type": "application/json", "X-Signature": "abc", "HOST": "evil", "Content-length": "1"}

    assert _here().post(receiver.url("/in?x=%20y"), body, headers) == 200

    [(path, got, with_headers)] = receiver.got
    assert (path, got) == ("/in?x=%20y", body)
    assert with_headers["host"] == f"hooks.internal:{receiver.port}"
    assert with_headers["content-length"] == "8"
    assert (with_headers["content-type"], with_headers["x-signature"]) == ("application/json", "abc")


def test_an_address_without_a_path_is_posted_to_at_the_root(receiver: Receiver) -> None:
    _here().post(receiver.url(""), b"", {})
    _here().post(receiver.url("?a=1"), b"", {})

    assert [path for path, _, _ in receiver.got] == ["/", "/?a=1"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 204, 400, 410, 500, 503])
def test_redirects_are_not_followed_and_failures_are_replies(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.answer = status, b""

    assert _here().post(receiver.url(), b"{}", {}) == status
    assert [path for path, _, _ in receiver.got] == ["/in"]


def test_proxies_of_the_environment_are_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert _here().post(receiver.url(), b"{}", {}) == 200


def test_a_name_is_resolved_once_so_that_it_cannot_change_its_mind(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    asked: list[str] = []
    system: list[Any] = []
    getaddrinfo = socket.getaddrinfo

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return answers.pop(0)

    def watched(host: Any, *args: Any, **named: Any) -> Any:
        system.append(host)
        return getaddrinfo(host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", watched)

    assert _here(resolve=resolve).post(receiver.url(), b"{}", {}) == 200
    assert asked == ["hooks.internal"]
    assert set(system) <= {"127.0.0.1"}


def test_the_next_address_is_tried_when_one_refuses(receiver: Receiver) -> None:
    # Nothing listens on 127.0.0.2: the server is bound to 127.0.0.1 alone.
    assert _here(resolve=_to("127.0.0.2", "127.0.0.1")).post(receiver.url(), b"{}", {}) == 200


def test_the_systems_resolver_is_asked_unless_told(receiver: Receiver) -> None:
    poster = HttpPoster(allowed=["localhost"])
    assert poster.post(f"http://localhost:{receiver.port}/in", b"{}", {}) == 200

    with pytest.raises(InvalidInput):
        HttpPoster(allowed=[LOOPBACK, "::1"]).post(f"http://localhost:{receiver.port}/in", b"{}", {})


def test_an_ipv6_host_is_in_brackets_in_its_header() -> None:
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with closing(listener):
        port = listener.getsockname()[1]
        got: list[bytes] = []
        thread = threading.Thread(target=_answer_one, args=(listener, got))
        thread.start()
        assert HttpPoster(allowed=["::1"]).post(f"http://[::1]:{port}/", b"", {}) == 204
        thread.join()
    assert f"\r\nHost: [::1]:{port}\r\n".encode() in got[0]


def _answer_one(listener: socket.socket, got: list[bytes]) -> None:
    connection, _ = listener.accept()
    with connection:
        got.append(connection.recv(10_000))
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "日本"])
def test_a_header_that_would_break_the_request_is_refused(receiver: Receiver, value: str) -> None:
    with pytest.raises(InvalidInput, match="header"):
        _here().post(receiver.url(), b"{}", {"X-Name": value})
    assert receiver.got == []


# --- Servers that misbehave -----------------------------------------------------------------------------------------

Behave = Callable[[socket.socket, threading.Event], None]
Misbehave = Callable[[Behave], int]
PATIENCE = 60.0


@pytest.fixture
def misbehave() -> Iterator[Misbehave]:
    """Starts a server that does to a connection what it is told, until the test is over or has failed."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def start(behave: Behave) -> int:
        listener = socket.create_server(("127.0.0.1", 0))

        def run() -> None:
            with listener, suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    behave(connection, over)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return int(listener.getsockname()[1])

    yield start
    over.set()
    for thread in threads:
        thread.join()


def _drip(text: bytes, *, after: bytes = b"") -> Behave:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(10_000)
        connection.sendall(after)
        end = time.monotonic() + PATIENCE
        while not over.wait(0.01) and time.monotonic() < end:
            connection.sendall(text)

    return behave


def _say(text: bytes) -> Behave:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(10_000)
        connection.sendall(text)

    return behave


def _wait(connection: socket.socket, over: threading.Event) -> None:
    over.wait(PATIENCE)


def _post_to(port: int, body: bytes = b"{}", *, timeout: float = 0.2, scheme: str = "http") -> int:
    return _here(timeout=timeout).post(f"{scheme}://hooks.internal:{port}/secret-path", body, {})


def _took(started: float) -> float:
    return time.monotonic() - started


@pytest.mark.parametrize(
    "behave",
    [
        _drip(b"x"),
        _drip(b"HTTP/1.1 100 Continue\r\n\r\n"),
        _drip(b"x", after=b"HTTP/1.1 200 OK\r\nX-Endless: "),
        _wait,
    ],
    ids=["drips its first line", "says to go on for ever", "drips a header", "says nothing"],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_takes_its_time_is_given_up(misbehave: Misbehave, behave: Behave, scheme: str) -> None:
    port = misbehave(behave)
    started = time.monotonic()
    with pytest.raises(Unreachable, match=r"did not answer in time|does not speak TLS"):
        _post_to(port, scheme=scheme)
    assert _took(started) < PATIENCE / 2


def test_a_server_that_does_not_take_the_body_is_given_up(misbehave: Misbehave) -> None:
    port = misbehave(_wait)
    started = time.monotonic()
    with pytest.raises(Unreachable, match="did not answer in time"):
        _post_to(port, b"x" * 30_000_000)
    assert _took(started) < PATIENCE / 2


def test_a_resolver_that_takes_its_time_is_given_up() -> None:
    enough = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        enough.wait(PATIENCE)
        return ["127.0.0.1"]

    started = time.monotonic()
    with pytest.raises(Unreachable, match="did not answer in time"):
        _here(resolve=resolve, timeout=0.05).post("http://hooks.internal/", b"", {})
    assert _took(started) < PATIENCE / 2
    enough.set()


@pytest.mark.parametrize(
    "start",
    [b"HTTP/1.1 202 Accepted\r\n\r\n", b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n"],
    ids=["plain", "chunked"],
)
def test_a_body_that_drips_costs_no_more_than_the_time_and_the_status_counts(
    misbehave: Misbehave, start: bytes
) -> None:
    port = misbehave(_drip(b"x", after=start))
    started = time.monotonic()

    assert _post_to(port, timeout=3) == 202  # the status must arrive by then, on a busy machine too
    assert _took(started) < PATIENCE / 2


def test_of_an_endless_body_only_the_beginning_is_read(misbehave: Misbehave) -> None:
    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        while not over.is_set():
            connection.sendall(b"x" * 65_536)

    port = misbehave(behave)
    started = time.monotonic()

    assert _post_to(port, timeout=5) == 200
    assert _took(started) < PATIENCE / 2


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"SSH-2.0-the-secret\r\n",
        b"the-secret" * 10_000,
        b"HTTP/1.1 the-secret\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Name: the-secret\r\n" * 200,
    ],
    ids=["nothing", "another protocol", "a long line", "a bad status", "many headers"],
)
def test_what_is_no_http_is_unreachable_and_not_quoted(misbehave: Misbehave, text: bytes) -> None:
    with pytest.raises(Unreachable) as caught:
        _post_to(misbehave(_say(text)))

    assert caught.value.code == "unreachable"
    assert "hooks.internal" in str(caught.value)
    assert "secret" not in str(caught.value)  # neither what was said nor the path


# --- TLS ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of its own for hooks.example.com, in one file."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl is not installed: TLS was not tested")
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    names = f"subjectAltName=DNS:{HOST},IP:127.0.0.1"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command = [openssl, "req", "-x509", *kind, "-subj", f"/CN={HOST}", "-addext", names]
    subprocess.run([*command, "-keyout", file, "-out", file.with_suffix(".crt")], check=True, capture_output=True)
    file.write_text(file.read_text() + file.with_suffix(".crt").read_text())
    return file


@dataclass
class SecureReceiver(Receiver):
    asked_for: list[str | None] = field(default_factory=list)

    def url(self, path: str = "/in", host: str = HOST) -> str:
        return f"https://{host}:{self.port}{path}"


def _server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def secure(certificate: Path) -> Iterator[SecureReceiver]:
    receiver, context = SecureReceiver(), _server_side(certificate)

    def remember(sock: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        receiver.asked_for.append(name)

    context.sni_callback = remember
    for started in _serve(receiver, context):
        assert isinstance(started, SecureReceiver)
        yield started


def _trusting(certificate: Path, **options: Any) -> HttpPoster:
    return _here(allowed=[LOOPBACK], context=ssl.create_default_context(cafile=str(certificate)), **options)


def test_a_post_over_tls_arrives_and_the_server_is_asked_for_by_name(secure: SecureReceiver, certificate: Path) -> None:
    assert _trusting(certificate).post(secure.url(), b"{}", {}) == 200

    assert secure.asked_for == [HOST]
    [(path, body, headers)] = secure.got
    assert (path, body, headers["host"]) == ("/in", b"{}", f"{HOST}:{secure.port}")


def test_a_certificate_may_be_for_an_address(secure: SecureReceiver, certificate: Path) -> None:
    assert _trusting(certificate).post(secure.url(host="127.0.0.1"), b"{}", {}) == 200


def test_a_certificate_for_another_name_is_refused(secure: SecureReceiver, certificate: Path) -> None:
    with pytest.raises(Unreachable, match=r"other\.example\.com has no valid certificate: Hostname mismatch"):
        _trusting(certificate).post(secure.url(host="other.example.com"), b"{}", {})
    assert secure.got == []


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: SecureReceiver) -> None:
    with pytest.raises(Unreachable, match=f"{HOST} has no valid certificate: self.signed"):
        _here(allowed=[LOOPBACK]).post(secure.url(), b"{}", {})
    assert secure.got == []


def test_a_server_that_speaks_no_tls_is_unreachable(receiver: Receiver) -> None:
    with pytest.raises(Unreachable, match="does not speak TLS"):
        _here().post(receiver.url().replace("http:", "https:"), b"{}", {})


def test_a_server_that_drips_over_tls_is_given_up(certificate: Path, misbehave: Misbehave) -> None:
    context = _server_side(certificate)

    def behave(connection: socket.socket, over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            _drip(b"x")(secured, over)

    port = misbehave(behave)
    started = time.monotonic()
    with pytest.raises(Unreachable, match="did not answer in time"):
        _trusting(certificate, timeout=0.2).post(f"https://{HOST}:{port}/", b"{}", {})
    assert _took(started) < PATIENCE / 2


def test_no_socket_stays_open_whatever_happens(secure: SecureReceiver, certificate: Path, misbehave: Misbehave) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        _trusting(certificate).post(secure.url(), b"{}", {})
        for poster, url, headers in (
            (_trusting(certificate), secure.url(host="other.example.com"), {}),
            (_trusting(certificate), secure.url(), {"X-Name": "a\r\nb"}),
            (_here(), f"http://hooks.internal:{misbehave(_say(b'what?'))}/", {}),
            (_here(timeout=0.05), f"http://hooks.internal:{misbehave(_drip(b'x'))}/", {}),
            (_here(timeout=0.05), f"https://hooks.internal:{misbehave(_wait)}/", {}),
        ):
            with pytest.raises(HeedfulError):
                poster.post(url, b"{}", headers)
        gc.collect()
    assert [str(warning.message) for warning in caught] == []
