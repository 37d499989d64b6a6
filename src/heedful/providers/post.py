"""Posts to URLs that users choose. They are checked as written and after resolving, so that none leads inside."""

from __future__ import annotations

import http.client
import io
import math
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from heedful.errors import InvalidInput, Misconfigured, Unreachable
from heedful.providers.deadline import in_time

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_LONGEST_URL = 2_000
_MOST_READ = 64 * 1024
_OURS_TO_SET = {"host", "connection", "content-length", "transfer-encoding"}
_SETTING = "HEEDFUL_WEBHOOK_ALLOW"
_PUBLIC = f"Use a public https:// address. The administrator of the server can allow others with {_SETTING}."

# Stricter than the standards and than urllib: what two programs could read differently is refused.
_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^#]*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+?)\.?)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_NUMBER_LAST = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_INSIDE_NAME = re.compile(r"[^.]+|.*\.(?:localhost|local|internal|localdomain|home\.arpa)")

_ROUTED = IPv6Network("2000::/3")  # all other IPv6 is local, reserved or a wrapping of IPv4
_NAT64 = IPv6Network("64:ff9b::/96")
# Inside too, although Python, or some version of it, calls them global.
_NOT_GLOBAL: list[IPv4Network | IPv6Network] = [
    IPv4Network("168.63.129.16/32"),  # looks public, but is the metadata service of Azure
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("224.0.0.0/3"),  # multicast, reserved
    IPv6Network("2001::/23"),  # Teredo and other protocols
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4
    IPv6Network("3fff::/20"),  # documentation
]


class HttpPoster:
    """Thread-safe. `allowed` lists internal networks, addresses and host names that may be reached.

    Errors name the host only: the rest of a URL is often a secret, and so is the internal network.
    """

    def __init__(
        self,
        *,
        allowed: Sequence[str] = (),
        timeout: float = 10.0,
        connect_timeout: float = 3.0,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        entries = [_allowance(entry) for entry in allowed]
        self._names = {entry for entry in entries if isinstance(entry, str)}
        self._networks = [entry for entry in entries if not isinstance(entry, str)]
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._resolve = resolve or _ask_system
        self._context = context

    def check(self, url: str) -> None:
        """Rejects a URL that can never be posted to. Does not resolve names, which may still be internal."""
        self._checked(url)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the response, whatever it is: redirects are not followed, because they could lead inside."""
        target = self._checked(url)
        deadline = _Deadline(time.monotonic() + self._timeout)
        try:
            addresses = self._addresses(target, deadline)
            with self._connect(addresses, target, deadline) as plain, self._secure(plain, target, deadline) as sock:
                return _exchange(_DeadlineSocket(sock, deadline), target, body, headers)
        except OSError as error:
            raise Unreachable(f"{target.host} {_reason(error)}.", hint="Try again later.") from error
        except http.client.HTTPException:  # from None: its text quotes the response
            raise Unreachable(f"{target.host} did not answer in HTTP.", hint="Check the address.") from None

    def _checked(self, url: str) -> _Target:
        target = _parse(url)
        if target.host in self._names or (target.address and self._allows(target.address)):
            return target
        if _is_inside(target.address) if target.address else _INSIDE_NAME.fullmatch(target.host):
            raise InvalidInput(f"{target.host} is not on the public internet.", hint=_PUBLIC)
        if not target.secure:
            raise InvalidInput("http:// is not encrypted.", hint=_PUBLIC)
        return target

    def _allows(self, address: Address) -> bool:
        return any(address in network or _carried(address) in network for network in self._networks)

    def _addresses(self, target: _Target, deadline: _Deadline) -> list[Address]:
        """Checks all addresses, not only the one used: otherwise an attacker could retry until a bad one comes up."""
        if target.address:
            return [target.address]
        # The system's resolver has no timeout.
        answer = in_time(lambda: self._resolve(target.host, target.port), deadline.left())
        addresses = [ip_address(text) for text in answer]
        if target.host not in self._names and any(_is_inside(each) and not self._allows(each) for each in addresses):
            raise InvalidInput(
                f"{target.host} resolves to an address that is not on the public internet.", hint=_PUBLIC
            )
        return addresses

    def _connect(self, addresses: list[Address], target: _Target, deadline: _Deadline) -> socket.socket:
        failure: OSError = socket.gaierror("no address")
        for address in addresses:
            try:  # with the address, not the name: nothing is resolved a second time
                return socket.create_connection((str(address), target.port), deadline.left(self._connect_timeout))
            except OSError as error:
                failure = error
        raise failure

    def _secure(self, plain: socket.socket, target: _Target, deadline: _Deadline) -> socket.socket:
        if not target.secure:
            return plain
        self._context = self._context or ssl.create_default_context()  # not earlier: reading the roots takes a while
        plain.settimeout(deadline.left())  # applies to the whole handshake
        return self._context.wrap_socket(plain, server_hostname=target.host)


@dataclass(frozen=True, slots=True)
class _Target:
    secure: bool
    host: str
    address: Address | None
    port: int
    path: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class _Deadline:
    at: float

    def left(self, most: float = math.inf) -> float:
        left = self.at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, most)


class _DeadlineSocket(io.RawIOBase):
    """A socket for http.client with one deadline for all calls."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._sock.settimeout(self._deadline.left())
            rest = rest[self._sock.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002 - http.client only reads from it
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        self._sock.settimeout(self._deadline.left())
        return self._sock.recv_into(buffer)

    def close(self) -> None:
        """http.client closes it before the body is read; the owner closes the socket."""


def _exchange(line: _DeadlineSocket, target: _Target, body: bytes, headers: Mapping[str, str]) -> int:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = line  # as much of a socket as it needs
    sent = {name: value for name, value in headers.items() if name.lower() not in _OURS_TO_SET}
    try:
        connection.request("POST", target.path, body, {**sent, "Host": target.host_header, "Connection": "close"})
    except ValueError:
        raise InvalidInput(
            "A header contains invalid characters.", hint="Use Latin letters and no line breaks."
        ) from None
    with connection.getresponse() as response:
        # The status is the answer: a body that breaks off must not make the sender deliver again.
        with suppress(OSError, http.client.HTTPException):
            response.read(_MOST_READ)
        return response.status


def _parse(url: str) -> _Target:
    if len(url) > _LONGEST_URL:
        raise InvalidInput(f"The address is longer than {_LONGEST_URL:,} characters.", hint="Use a shorter one.")
    if not re.fullmatch(r"[!-~]*", url):
        raise InvalidInput(
            "The address contains spaces, control characters or non-ASCII letters.",
            hint="Percent-encode its path, and write its host in punycode (xn--...).",
        )
    parts = _URL.fullmatch(url)
    if not parts or parts["scheme"].lower() not in ("http", "https"):
        raise InvalidInput("The address is not of the form https://host/path.", hint="A #fragment is not allowed.")
    if "@" in parts["authority"]:
        raise InvalidInput("The address contains a user name or a password.", hint="Put secrets into headers.")
    secure = parts["scheme"].lower() == "https"
    authority = _AUTHORITY.fullmatch(parts["authority"].lower())
    port = int((authority and authority["port"]) or (443 if secure else 80))
    if not authority or not 0 < port < 65_536:
        raise InvalidInput("The address has no valid host and port.", hint="Write https://host/ or https://host:8443/.")
    host = authority["six"] or authority["name"]
    path = parts["path"] if parts["path"].startswith("/") else "/" + parts["path"]
    return _Target(secure, host, _literal(host, six=bool(authority["six"])), port, path)


def _literal(host: str, *, six: bool) -> Address | None:
    """None for a name. Rejects other notations of IPv4 addresses: 127.1, 0x7f000001, 2130706433."""
    try:
        return IPv6Address(host) if six else IPv4Address(host)
    except ValueError:
        if _is_name(host):
            return None
    raise InvalidInput(
        f"{host} is neither a host name nor an IP address.", hint="Write IP addresses as 192.0.2.1 or [2001:db8::1]."
    )


def _is_name(host: str) -> bool:
    return bool(_NAME.fullmatch(host)) and not _NUMBER_LAST.fullmatch(host)


def _allowance(entry: str) -> str | IPv4Network | IPv6Network:
    try:
        return ip_network(entry)
    except ValueError:
        name = entry.lower().removesuffix(".")
        if _is_name(name):
            return name
    raise Misconfigured(
        f"{_SETTING} contains {entry!r}, which is not a network, address or host name.",
        hint="Write them as 10.0.0.0/8, ::1 or hooks.internal, without port and wildcards.",
    )


def _is_inside(address: Address) -> bool:
    address = _carried(address)
    if isinstance(address, IPv6Address) and address not in _ROUTED:
        return True
    return not address.is_global or any(address in network for network in _NOT_GLOBAL)


def _carried(address: Address) -> Address:
    """The embedded IPv4 address. Obsolete embeddings (6to4, Teredo, ...) count as internal."""
    if isinstance(address, IPv4Address):
        return address
    return IPv4Address(int(address) & 0xFFFF_FFFF) if address in _NAT64 else address.ipv4_mapped or address


def _ask_system(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def _reason(error: OSError) -> str:
    match error:
        case TimeoutError():
            return "did not answer in time"
        case socket.gaierror():
            return "could not be found"
        case ssl.SSLCertVerificationError():
            return f"has no valid certificate: {error.verify_message.rstrip('.')}"
        case ssl.SSLError():
            return f"does not speak TLS as it should: {error.reason}"
        case _:
            return f"could not be reached: {error.strerror or 'it closed the connection'}"
