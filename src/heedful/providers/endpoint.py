"""The endpoint of a model: server, key and model name, parsed from a setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from heedful.errors import Misconfigured, MissingExtra
from heedful.records.clock import Clock, utc_now

if TYPE_CHECKING:
    import httpx2

ANSWER_SECONDS = 15.0
_CONNECT_SECONDS = 5.0
_NO_KEY = "none"  # servers of one's own often want none, but the SDK insists on something
_SDK = {"anthropic": "anthropic", "openai": "openai", "compatible": "openai"}
_HOME = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
_USUAL_MODEL = {"anthropic": "claude-haiku-5-5"}  # their model for high-volume classification and extraction


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`setting` is the variable it came from, for hints: HEEDFUL_LLM or HEEDFUL_EMBEDDER."""

    kind: str
    model: str
    url: str
    key: str = field(repr=False)
    setting: str
    seconds: float = ANSWER_SECONDS
    """The timeout of a whole response, from the connection to its last byte."""
    clock: Clock = utc_now

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.model}"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def connections(self) -> httpx2.Client:
        import httpx2

        # No redirects: they would send messages and the key to another host.
        timeout = httpx2.Timeout(self.seconds, connect=_CONNECT_SECONDS)
        # Without TLS there are no certificates to load, which takes 35 ms.
        secure = not self.url.lower().startswith("http:")
        return httpx2.Client(timeout=timeout, follow_redirects=False, verify=secure)


def endpoint(
    written: str, *, setting: str, url: str | None, key: str | None, key_of: Callable[[str], str | None]
) -> Endpoint:
    """Parses `kind:model`. `url` and `key` are those of the setting; `key_of` returns the provider's own key, if there
    is one, which is never sent to a compatible server."""
    kind, _, model = written.partition(":")
    if kind not in _SDK or not (model := model or _USUAL_MODEL.get(kind, "")):
        raise Misconfigured(
            f"{setting} names {written!r}, which is not of the form provider:MODEL.",
            hint="Write anthropic:MODEL, openai:MODEL or compatible:MODEL.",
        )
    if find_spec(_SDK[kind]) is None:
        raise MissingExtra(
            f"{setting} names {written!r}, whose library is not installed.", hint="Run: pip install 'heedful[llm]'"
        )
    key = key or key_of(kind)
    if key is None and kind != "compatible":
        raise Misconfigured(f"{written!r} needs a key.", hint=f"Set {setting}_KEY or {kind.upper()}_API_KEY.")
    return Endpoint(kind, model, _address(kind, url, setting), key or _NO_KEY, setting)


def _address(kind: str, url: str | None, setting: str) -> str:
    if url is None and kind not in _HOME:
        raise Misconfigured(
            "A compatible server needs an address.", hint=f"Set {setting}_URL, such as http://localhost:11434/v1."
        )
    address = url or _HOME[kind]
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(f"{setting}_URL is not an address.", hint="Write it as https://host/v1.")
    if parts.username or parts.password:
        raise Misconfigured(f"{setting}_URL contains a user name or a password.", hint=f"Set {setting}_KEY instead.")
    return address
