"""Settings. The only module that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from heedful.errors import Misconfigured

SECRET_LENGTH = 16
Durability = Literal["full", "normal"]
_OTHER_NAMES = {"anthropic_key": "ANTHROPIC_API_KEY", "openai_key": "OPENAI_API_KEY"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Where heedful stores its data, and how."""

    database: str
    """A path, or a postgresql:// address.  HEEDFUL_DATABASE"""

    org: str = "default"
    """The organisation of `heedful.open()` and the command line.  HEEDFUL_ORG"""

    durability: Durability = "full"
    """SQLite only. `full` survives a power cut; `normal` survives a crash and is faster.  HEEDFUL_DURABILITY"""

    extensions: tuple[str, ...] = ()
    """Your own projections, reactions and job handlers, as `module:name`, comma separated.  HEEDFUL_EXTENSIONS"""

    tier: str = "enterprise"
    """The default tier of organisations: free, teams, enterprise.  HEEDFUL_TIER"""

    webhook_allow: tuple[str, ...] = ()
    """Networks and hosts inside your own network that webhooks may post to, comma separated.  HEEDFUL_WEBHOOK_ALLOW"""

    rate_limit: int = 60_000
    """Requests per minute that a server accepts with one key; 0 for no limit.  HEEDFUL_RATE_LIMIT"""

    metrics_token: str | None = field(default=None, repr=False)
    """The bearer token for /metrics; without one, only requests from this machine are accepted.
    HEEDFUL_METRICS_TOKEN"""

    key: str | None = field(default=None, repr=False)
    """The key that `heedful mcp --url` uses.  HEEDFUL_KEY"""

    secret: str | None = field(default=None, repr=False)
    """The secret behind people's pseudonyms, instead of the file beside the database.  HEEDFUL_SECRET"""

    traces: bool = False
    """Whether OpenTelemetry is enabled, by its own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT."""

    llm: tuple[str, ...] = ()
    """Language models, tried in order: anthropic, anthropic:MODEL, openai:MODEL or compatible:MODEL, comma separated.
    Without any, none is ever called, and nothing is sent anywhere.  HEEDFUL_LLM"""

    llm_url: str | None = None
    """The base URL of an OpenAI-compatible server or of a gateway.  HEEDFUL_LLM_URL"""

    llm_key: str | None = field(default=None, repr=False)
    """The key for it; otherwise ANTHROPIC_API_KEY or OPENAI_API_KEY for their own models.  HEEDFUL_LLM_KEY"""

    llm_calls: int = 1_000
    """Calls to language models per organisation and day (UTC).  HEEDFUL_LLM_CALLS"""

    llm_tokens: int = 1_000_000
    """Tokens, in and out, per organisation and day (UTC).  HEEDFUL_LLM_TOKENS"""

    llm_seconds: int = 15
    """How long an answer of a language model may take. A small model of your own may need more.  HEEDFUL_LLM_SECONDS"""

    prompts: str | None = None
    """A folder with prompts of your own for mining, and variants to compare: bug_fix.md, rules@short.md.
    HEEDFUL_PROMPTS"""

    diffs: str | None = None
    """The folder of diffs that reviews may name by path. Nothing outside of it is read.  HEEDFUL_DIFFS"""

    embedder: str = "local"
    """The embedder: local, openai:MODEL or compatible:MODEL.  HEEDFUL_EMBEDDER"""

    embedder_url: str | None = None
    """The base URL of its server.  HEEDFUL_EMBEDDER_URL"""

    embedder_key: str | None = field(default=None, repr=False)
    """The key for it; otherwise OPENAI_API_KEY for models of OpenAI.  HEEDFUL_EMBEDDER_KEY"""

    anthropic_key: str | None = field(default=None, repr=False)
    """The key for models of Anthropic, if no other is set.  ANTHROPIC_API_KEY"""

    openai_key: str | None = field(default=None, repr=False)
    """The key for models of OpenAI, if no other is set.  OPENAI_API_KEY"""

    hook_daemon: int = 900
    """Seconds that the daemon of `heedful hook` stays without being asked; 0 for no daemon.  HEEDFUL_HOOK_DAEMON"""

    def __post_init__(self) -> None:
        if self.secret is not None and len(self.secret) < SECRET_LENGTH:
            raise Misconfigured(
                f"The secret (HEEDFUL_SECRET) has {len(self.secret)} characters, which is too short.",
                hint=f"Set it to {SECRET_LENGTH} random characters or more: openssl rand -hex 32",
            )

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        values: dict[str, Any] = {"traces": _traces(environ)}
        for setting in fields(cls):
            name = _OTHER_NAMES.get(setting.name, f"HEEDFUL_{setting.name.upper()}")
            if setting.name != "traces" and (text := environ.get(name)):
                values[setting.name] = _parsed(name, text, setting.default)
        values["database"] = values.get("database") or default_database()
        return cls(**values)


def _parsed(name: str, text: str, default: object) -> object:
    if name == "HEEDFUL_DURABILITY" and text.lower() not in get_args(Durability):
        raise Misconfigured(
            f"HEEDFUL_DURABILITY is {text.lower()!r}.",
            hint="Set it to 'full' (survives a power cut) or 'normal' (faster, survives a crash).",
        )
    if isinstance(default, tuple):
        return _names(text)
    if isinstance(default, int):
        return _whole(name, text)
    return text.lower() if name == "HEEDFUL_DURABILITY" else text


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _whole(name: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return int(text)
    raise Misconfigured(f"{name} is {text!r}.", hint="Set it to a whole number.")


def _traces(environ: Mapping[str, str]) -> bool:
    """As in the OpenTelemetry specification, except that it is off by default."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    asked = ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    return any(environ.get(name) for name in asked)


def default_database() -> str:
    from platformdirs import user_data_path

    return str(user_data_path("heedful", appauthor=False) / "heedful.db")
