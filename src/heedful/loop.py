"""The loop: opens a store and exposes the stages as attributes. The composition root."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from heedful.errors import Misconfigured, MissingExtra, NotFound, NotOffered, ProviderError, StoreBusy
from heedful.learn.suggestions import SUGGESTIONS
from heedful.learnings.documents.projection import ACTS, DOCUMENTS
from heedful.learnings.events import REPORTED
from heedful.learnings.exposures import EXPOSURES
from heedful.learnings.patterns import learner as patterns
from heedful.learnings.projection import LEARNINGS
from heedful.learnings.said import SAID
from heedful.learnings.table import EMBED_JOB
from heedful.measure.activity import ACTIVITY
from heedful.measure.conversations import MINING
from heedful.records import names
from heedful.records.backup import Backup, Salvaged
from heedful.records.clock import Clock, utc_now
from heedful.records.document import RECEIVED, retain_tomorrow
from heedful.records.embedding import Embedder
from heedful.records.event import Event
from heedful.records.health import CheckResult
from heedful.records.job import Job
from heedful.records.language import LanguageModel, Limits
from heedful.records.learning import AnyAudience, Audience
from heedful.records.mining import COMPLETED, MINE_JOB, request
from heedful.records.outcome import OUTCOME_REPORTED
from heedful.records.outside import UNANSWERED, Outside
from heedful.records.proposal import MADE, TEND_JOB, tend, tend_after_outcome, tend_tomorrow
from heedful.records.reading import Reader
from heedful.records.rereading import READ_JOB
from heedful.records.rereading import request as reread
from heedful.records.review import EVALUATE_JOB, PROPOSE_JOB, REVIEWED, evaluate
from heedful.records.suggestion import DECISIONS, RETENTION_JOB, SCRUB_JOB, look_now_and_then
from heedful.records.tier import Tier
from heedful.records.webhook import DELIVER_JOB
from heedful.settings import Settings
from heedful.store import Store
from heedful.store.extension import Extension, Reaction
from heedful.store.opening import database_of
from heedful.store.projections import DERIVE_JOB
from heedful.store.recording import FAN_OUT_JOB
from heedful.store.redaction import Redaction

if TYPE_CHECKING:
    from os import PathLike

    from heedful.agents import Agents
    from heedful.apply import Apply
    from heedful.capture import Capture
    from heedful.conversation import Conversation
    from heedful.govern import Govern
    from heedful.jobs import Jobs
    from heedful.learn import Learn
    from heedful.log import Filters, Log
    from heedful.measure import Measure
    from heedful.records.privacy import Privacy
    from heedful.store.subscription import Subscription

# A stage is imported when it is first used: reading the log needs no grammar, and no numbers.
# ruff: noqa: PLC0415


def _derive(loop: Loop, job: Job) -> Mapping[str, Any]:
    name = job.payload["projection"]
    if name not in loop.store.projections.known:
        return {"unknown_here": name}  # the next recording requests it from a worker with the extension
    return {"events": loop.learn.catch_up(name)}


def _retain(loop: Loop, job: Job) -> Mapping[str, Any]:  # noqa: ARG001
    from heedful.govern.retention import next_look

    retained = loop.govern.retain()
    loop.jobs.put(next_look(loop.store))
    return {"too_old": retained.too_old, "too_many": retained.too_many}


def _mine(loop: Loop, job: Job) -> Mapping[str, Any]:
    try:
        mined = loop.learn.mine(job.payload["conversation"])
    except NotFound:  # it was forgotten since
        return {"outcome": "forgotten"}
    result = {"outcome": mined.outcome.value, "learned": list(mined.learned), "confirmed": list(mined.confirmed)}
    return result if mined.unanswered is None else {**result, "unanswered": mined.unanswered}


def _reread(loop: Loop, job: Job) -> Mapping[str, Any]:
    return {"outcome": loop.capture.reread(job.payload["correction"]).value}


def _evaluate(loop: Loop, job: Job) -> Mapping[str, Any]:
    try:
        return {"classification": loop.learn.reviews.evaluate(job.payload["review"]).classification.value}
    except NotFound:  # it was forgotten since
        return {"outcome": "forgotten"}


def _tend(loop: Loop, job: Job) -> Mapping[str, Any]:  # noqa: ARG001
    done = {**loop.govern.proposals.tend(), **loop.measure.tend()}
    loop.jobs.put(tend_tomorrow(loop.store.clock()))
    return done


def _scrub(loop: Loop, job: Job) -> None:  # noqa: ARG001
    from heedful.learnings.forgetting import scrub

    if not scrub(loop.store, thoroughly=True):
        raise StoreBusy("The database is locked by another process.", hint="It will be retried.")


def _after_recording(store: Store, events: Sequence[Event], privacy: Privacy) -> None:
    if any(event.kind in DECISIONS for event in events):
        from heedful.govern.retention import after_recording

        after_recording(store, events, privacy)


OWN = Extension(
    "heedful",
    projections=(ACTIVITY, SUGGESTIONS, LEARNINGS, MINING, DOCUMENTS, EXPOSURES, SAID),
    reactions=(
        *(Reaction(kind, look_now_and_then) for kind in (*DECISIONS, *ACTS)),
        Reaction(RECEIVED, retain_tomorrow),
        *(Reaction(kind, patterns.requested) for kind in DECISIONS),
        Reaction(COMPLETED, request),
        Reaction(REPORTED, reread),
        Reaction(REVIEWED, evaluate),
        Reaction(MADE, tend),
        Reaction(OUTCOME_REPORTED, tend_after_outcome),
    ),
    handlers={
        DERIVE_JOB: _derive,
        FAN_OUT_JOB: lambda loop, _: {"deliveries": loop.govern.webhooks.fan_out()},
        DELIVER_JOB: lambda loop, job: loop.govern.webhooks.deliver(job.payload["webhook"], job.payload["event"]),
        RETENTION_JOB: _retain,
        SCRUB_JOB: _scrub,
        EMBED_JOB: lambda loop, _: {"vectors": loop.learn.embed()},
        MINE_JOB: _mine,
        READ_JOB: _reread,
        EVALUATE_JOB: _evaluate,
        PROPOSE_JOB: lambda loop, _: {"proposals": [one.id for one in loop.learn.reviews.propose()]},
        TEND_JOB: _tend,
        patterns.JOB: lambda loop, job: {"learned": loop.learn.patterns(job.payload["rule"])},
    },
)


def open(
    database: str | PathLike[str] | None = None,
    *,
    org: str | None = None,
    settings: Settings | None = None,
    extensions: Sequence[Extension] = (),
    clock: Clock = utc_now,
    migrate: bool = True,
    language: LanguageModel | None = None,
    embedder: Embedder | None = None,
    reader: Reader | None = None,
) -> Loop:
    """Open a loop on a SQLite file or a postgresql:// address, and migrate its schema.

    Without arguments it uses the database of HEEDFUL_DATABASE, or a file in the user's data folder, and the
    organisation of HEEDFUL_ORG, or `default`. With `migrate=False`, a database that is missing or out of date is
    rejected instead of changed. `language`, `embedder` and `reader` replace those of the settings.
    """
    if find_spec("heedful.providers") is None:
        raise MissingExtra(
            "heedful-client only talks to a server and has no store.",
            hint="Use heedful.Client, or: pip uninstall heedful-client && pip install heedful",
        )
    settings = settings or Settings.read()
    if database is not None:
        settings = replace(settings, database=str(database))
    name = names.identifier(settings.org if org is None else org, "org")
    named = [_load_extension(name) for name in settings.extensions]
    opened = database_of(settings)
    try:
        opened.migrate() if migrate else opened.require_current()
        known = [OWN, *named, *extensions]
        tier, own = _tier(settings.tier), settings.secret
        store = Store(opened, name, clock, known, tier, own, redactor=Redaction, maintenance=_after_recording)
        return Loop(store, Providers(settings, language=language, embedder=embedder, reader=reader))
    except BaseException:
        opened.close()
        raise


def organisations(database: str | PathLike[str] | None = None) -> list[str]:
    """List the names of all organisations in a database, for operators."""
    with open(database) as loop:
        return loop.store.organisations()


def restore(
    backup: str | PathLike[str],
    database: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Backup:
    """Restore a verified backup, with its secret, to the path of a SQLite database that does not exist."""
    from heedful.store.backup import restore  # imported here: few need it
    from heedful.store.secret import given_secret

    settings = settings or Settings.read()
    place = _file(str(database) if database is not None else settings.database)
    given = None if settings.secret is None else given_secret(settings.secret)
    return restore(Path(backup), place, given, progress)


def salvage(
    damaged: str | PathLike[str],
    database: str | PathLike[str] | None = None,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> Salvaged:
    """Create a new SQLite database from the readable part of a damaged one, and recompute everything derived."""
    from heedful.store.salvage import prepare, salvage  # imported here: few need it

    place = _file(str(database) if database is not None else Settings.read().database)
    prepare(Path(damaged), place)
    with open(place) as loop:
        taken, lost = salvage(Path(damaged), loop.store, progress)
        orgs = [loop.org(name) for name in loop.store.organisations()]
        for org in orgs:
            org.learn.rebuild()
        return Salvaged(str(place), len(orgs), taken, lost)


def _file(address: str) -> Path:
    if "://" in address:
        raise NotOffered(
            "heedful restores backups of SQLite databases only.",
            hint="For PostgreSQL: pg_restore --no-owner --dbname=ADDRESS PATH",
        )
    return Path(address).expanduser().absolute()


class Stages:
    """One attribute per stage, on a store in this process (`Loop`) or on one behind a server (`Client`)."""

    def __init__(self, store: Store, outside: Outside) -> None:
        self.store = store
        self._outside = outside

    @cached_property
    def capture(self) -> Capture:
        from heedful.capture import Capture

        return Capture(self.store, self._outside)

    @cached_property
    def log(self) -> Log:
        from heedful.log import Log

        return Log(self.store)

    @cached_property
    def learn(self) -> Learn:
        from heedful.learn import Learn

        return Learn(self.store, self._outside)

    @cached_property
    def govern(self) -> Govern:
        from heedful.govern import Govern

        return Govern(self.store, self._outside)

    @cached_property
    def apply(self) -> Apply:
        from heedful.apply import Apply

        return Apply(self.store, self._outside)

    @cached_property
    def measure(self) -> Measure:
        from heedful.measure import Measure

        return Measure(self.store)

    @cached_property
    def agents(self) -> Agents:
        from heedful.agents import Agents

        return Agents(self.store, self._outside)

    @cached_property
    def jobs(self) -> Jobs:
        from heedful.jobs import Jobs

        return Jobs(self.store)

    def conversation(
        self,
        session: str | None = None,
        *,
        about: str | None = None,
        actor: str | None = None,
        audience: AnyAudience = Audience.TEAM,
    ) -> Conversation:
        """A conversation with an AI, which detects, records and applies corrections; with the audience `me`, for the
        actor only."""
        from heedful.conversation import Conversation

        return Conversation(self.capture, self.apply, session=session, about=about, actor=actor, audience=audience)

    def event(self, id: str) -> Event:
        return self.log.get(id)

    def events(
        self, *, limit: int | None = None, cursor: str | None = None, **wanted: Unpack[Filters]
    ) -> Iterator[Event]:
        """Iterate over the matching events, in the order they were recorded; reads page by page, so stop whenever you
        like.

        Filter by kind, actor, entity, layout, since and until; `newest_first` reverses the order. `since` and `until`
        refer to when events happened; `since` is included, `until` is not.
        """
        return self.log.all(limit=limit, cursor=cursor, **wanted)


class Loop(Stages):
    """The learning loop of one organisation. It never reads or writes the data of another one."""

    def __init__(self, store: Store, providers: Providers) -> None:
        super().__init__(store, providers.outside(store))
        self._providers = providers

    @property
    def name(self) -> str:
        return self.store.org

    def org(self, name: str) -> Loop:
        """The loop of another organisation in the same database. Closing either closes both."""
        return Loop(self.store.of(names.identifier(name, "org")), self._providers)

    def subscribe(
        self, deliver: Callable[[Event], object], *, name: str | None = None, kind: str | None = None
    ) -> Subscription:
        """Call a function with every event, in a thread of its own, until `close()`.

        With a name it starts at the first event, and after a restart where it stopped; without one, at the next event
        recorded. See `Subscription` for what happens when the function fails.
        """
        return self.subscription(deliver, name=name, kind=kind).start()

    def subscription(
        self, deliver: Callable[[Event], object], *, name: str | None = None, kind: str | None = None
    ) -> Subscription:
        """Like `subscribe`, without the thread: call `deliver_pending()` yourself."""
        if name is not None:
            names.identifier(name, "subscription name")
        if kind is not None:
            names.kind(kind)
        return self.store.subscribe(deliver, name=name, kind=kind)

    def transaction(self) -> AbstractContextManager[object]:
        """Record and queue everything inside the block in one transaction, or nothing."""
        return self.store.transaction()

    def backup(self, path: str | PathLike[str], *, progress: Callable[[int, int], None] = lambda *_: None) -> Backup:
        """Write the whole database, all organisations, with the installation's secret, to one new file, while others
        keep writing. The file is verified before it gets its name. Store it where only you can read it."""
        return self.store.database.back_up(Path(path).expanduser(), self.store.secret.in_file(), progress)

    def inspect_models(self) -> Iterator[CheckResult]:
        return self._providers.inspect(self.store)

    def close(self) -> None:
        self._providers.close()
        self.store.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heedful.Loop of {self.name!r} on {self.store.database.describe()}>"


class Providers:
    """The external services that organisations share: connections and models; each organisation has its own budget."""

    def __init__(
        self,
        settings: Settings,
        *,
        language: LanguageModel | None = None,
        embedder: Embedder | None = None,
        reader: Reader | None = None,
    ) -> None:
        from heedful.providers.correction_reader import LocalReader
        from heedful.providers.pdf import PdfProcess
        from heedful.providers.post import HttpPoster

        self._poster = HttpPoster(allowed=settings.webhook_allow)
        self._embedder = embedder or _embedder(settings)
        self._reader = reader or LocalReader()
        self._pdf = PdfProcess()
        self._models = _language_models(settings) if language is None else (language,)
        self._limits = Limits(settings.llm_calls, settings.llm_tokens)
        self._diffs = None if settings.diffs is None else Path(settings.diffs)
        self._prompts = None if settings.prompts is None else _checked_prompts(Path(settings.prompts).expanduser())

    def outside(self, store: Store) -> Outside:
        from heedful.providers.reporting import ReportingEmbedder

        embedder = ReportingEmbedder(self._embedder, partial(_unanswered, store, "embedder"))
        language = self._language(store)
        return Outside(self._poster, embedder, self._reader, language, self._pdf, self._prompts, self._diffs)

    def close(self) -> None:
        self._pdf.close()

    def inspect(self, store: Store) -> Iterator[CheckResult]:
        """Calls each configured one once."""
        from heedful.providers.reporting import inspect as inspect_embedder

        yield inspect_embedder(self._embedder)
        if self._models:
            from heedful.providers.language import inspect  # imported here: optional

            yield from (inspect(model, store.spending, self._limits) for model in self._models)

    def _language(self, store: Store) -> LanguageModel | None:
        if not self._models:
            return None
        from heedful.providers.language import within_budget  # imported here: optional
        from heedful.providers.retries import RetryPolicy

        retries = RetryPolicy(tries=2, longest_pause=3, rest=60)
        on_failure = partial(_unanswered, store, "language model")
        return within_budget(self._models, store.spending, self._limits, retries, on_failure)


def _unanswered(store: Store, what: str, error: ProviderError) -> None:
    store.notify(UNANSWERED, what, error.code)


def _checked_prompts(folder: Path) -> Path:
    """Reports an invalid prompt now, instead of when a conversation is mined."""
    from heedful.learn.conversations.prompt import every  # few have their own

    every(folder)
    return folder


def _embedder(settings: Settings) -> Embedder:
    if settings.embedder == "local":
        from heedful.providers.embedder import LocalEmbedder

        return LocalEmbedder()
    from heedful.providers.remote_embedder import chosen  # most have none

    return chosen(settings)


def _language_models(settings: Settings) -> Sequence[LanguageModel]:
    if not settings.llm:
        return ()
    from heedful.providers.language import chosen  # imported here: optional

    return chosen(settings)


def _tier(name: str) -> Tier:
    try:
        return Tier(name.lower())
    except ValueError:
        known = ", ".join(tier.value for tier in Tier)
        raise Misconfigured(f"HEEDFUL_TIER is {name!r}.", hint=f"Set it to one of: {known}.") from None


def _load_extension(name: str) -> Extension:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute or "extension")
    except Exception as error:
        raise Misconfigured(
            f"The extension {name!r} cannot be loaded: {error}.",
            hint="Set HEEDFUL_EXTENSIONS to importable names such as mypackage.learning:extension.",
        ) from error
    if not isinstance(found, Extension):
        raise Misconfigured(
            f"{name!r} is a {type(found).__name__}, not a heedful.Extension.",
            hint="Put the name of the extension variable after the colon.",
        )
    return found
