"""What a team learned, for another team: a file that tells nobody's doing in particular, and that can be trusted.

A pattern is in it only if enough different people contributed. A file is taken in whole or not at all, once however
often it comes, and counts only so much: see `model/evidence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from heedful.errors import Conflict, Forbidden, InvalidInput
from heedful.govern.file import checked, checksum, document
from heedful.model.event import Draft, Entity, EventFilter
from heedful.model.evidence import SEEN, UNWANTED, WANTED
from heedful.model.fix import DECISIONS, IMPORTED, PATTERN_BYTES, PROJECTION, RETENTION, SEPARATOR, joined
from heedful.model.json import decode, encode
from heedful.model.names import PEOPLE_LIMIT, listed, whole
from heedful.model.period import Period
from heedful.model.privacy import Privacy
from heedful.model.projection import TIMELESS, Derived
from heedful.model.sharing import FORMAT, VERSION, Imported, LearningExport, SharedPattern, SharedRule
from heedful.model.words import canonical
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.suggestions import TallyRow

_EXPORTED = "AUDIT_LEARNING_EXPORTED"
_PER_RULE = 100
_LOOKED_AT = 1_000
_WEIGHT = 1_000  # decisions that one entry of a file counts for at most
_EVENT_BYTES = 8_000
_PAGE = 500


class Source(Protocol):
    """Where patterns and their people are looked up: the tallies of all time, or those of a period."""

    def rules(self, after: str, limit: int) -> list[tuple[str, tuple[int, ...]]]: ...
    def repeated(self, rule: str, limit: int) -> list[TallyRow]: ...
    def count_people(self, rule: str, id: str = "") -> int: ...
    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow]: ...
    def rule_name(self, rule: str) -> str: ...


class Sharing:
    def __init__(self, store: Store) -> None:
        self._store = store

    def export(
        self,
        period: Period,
        rules: Sequence[str] | None,
        *,
        patterns: bool,
        statistics: bool,
        min_people: int | None,
        whole_texts: bool,
    ) -> LearningExport:
        privacy = self._require_participation()
        people = privacy.min_people if min_people is None else whole(min_people, "min_people", PEOPLE_LIMIT)
        if people < privacy.min_people:
            raise InvalidInput(
                f"What fewer than {privacy.min_people} people did is not shared.",
                hint="Ask for more people; or let an admin lower min_people in the privacy options.",
            )
        source: Source = self._store.suggestions if period == Period() else self._recount(period)
        found = [rule for rule in _rules(source, rules) if rule.people >= people]
        chosen = found if patterns else []
        shared = [pattern for rule in chosen for pattern in _patterns(source, rule.rule_id, people, whole_texts)]
        made = LearningExport(
            format=FORMAT,
            version=VERSION,
            exported_at=self._store.clock().replace(microsecond=0),
            min_people=people,
            patterns=tuple(shared),
            statistics=tuple(found) if statistics else (),
            checksum="",
        )
        made = replace(made, checksum=checksum(document(made)))
        with self._store.transaction():
            counts = {"patterns": len(made.patterns), "rules": len(found), "checksum": made.checksum}
            audit(self._store, _EXPORTED, _of_export(made.checksum), after=counts)
        return made

    def import_(self, told: LearningExport | Mapping[str, Any], trusted: Sequence[str] | None) -> Imported:
        self._require_participation()
        learnings = self._redacted(checked(told, trusted))
        self._refuse_own(learnings)
        drafts = [draft for rule in _by_rule(learnings) for draft in self._drafts(learnings, *rule)]
        with self._store.transaction() as transaction:
            held = self._store.log.hold(transaction)
            if self._store.secret.check(transaction, held.org):
                self._store.jobs.add(transaction, [RETENTION])
            events = self._store.log.append(drafts)
            signer = None if learnings.signature is None else learnings.signature.public_key
            rules = {event.entity.id for event in events if event.entity is not None}
            again = {event.entity.id for event in events if event.entity is not None and event.seq <= held.head}
            if rules - again:
                brought = {"rules": len(rules - again), "checksum": learnings.checksum, "signed_by": signer}
                audit(self._store, "AUDIT_LEARNING_IMPORTED", after=brought)
        return Imported(len(rules), len(learnings.patterns), len(again), signer)

    def _redacted(self, learnings: LearningExport) -> LearningExport:
        """Once it is known to be whole: a file that was changed could not be told from a damaged one."""
        redactor = self._store.redactor
        redactor.refuse([rule.rule_id for rule in learnings.statistics], "A rule of this file")
        redactor.refuse([rule.rule_name for rule in learnings.statistics], "The name of a rule of this file")
        redactor.refuse([pattern.rule_id for pattern in learnings.patterns], "A rule of this file")
        return replace(learnings, patterns=tuple(map(self._redacted_pattern, learnings.patterns)))

    def _redacted_pattern(self, pattern: SharedPattern) -> SharedPattern:
        pairs = ((pattern.original_pattern, pattern.suggested_pattern), *(pattern.differences or ()))
        told = [text for pair in pairs for text in pair]
        redacted = self._store.redactor.texts(*told)
        if list(redacted) == told:
            return pattern
        short = [text.encode()[:PATTERN_BYTES].decode(errors="ignore") for text in redacted]
        (before, after), *rest = (canonical(*pair) for pair in zip(short[::2], short[1::2], strict=True))
        differences = None if pattern.differences is None else tuple(rest)
        return replace(pattern, original_pattern=before, suggested_pattern=after, differences=differences)

    def _refuse_own(self, learnings: LearningExport) -> None:
        """What a team has told others is not heard twice; but it may be taken back after it was cleared."""
        exported = EventFilter(kind=_EXPORTED, entity=_of_export(learnings.checksum))
        if any((self._store.suggestions.rule("") or ())[:4]) and self._store.log.page(exported, None, 1):
            raise Conflict(
                "This organisation has exported this file itself, and still knows what it tells.",
                hint="It is for other teams; and for this one, after it has cleared its feedback.",
            )

    def _require_participation(self) -> Privacy:
        privacy = self._store.privacy()
        if not privacy.participate_in_team_learning:
            raise Forbidden(
                "This organisation does not take part in team learning.",
                hint="Let an admin switch it on: heedful privacy --share",
            )
        return privacy

    def _recount(self, period: Period) -> _Recount:
        fold = self._store.derivation.projections[PROJECTION].fold
        derived = Derived()
        for kind in DECISIONS:
            wanted = EventFilter(kind=kind, since=period.first_moment, until=period.end_moment)
            place = None
            while events := self._store.log.page(wanted, place, _PAGE):
                fold(events, derived)
                place = events[-1].seq
        return _Recount(derived)

    def _drafts(self, learnings: LearningExport, rule: SharedRule, patterns: list[SharedPattern]) -> Iterator[Draft]:
        """As events of bearable size, whose ids tell the file: the same file again is nothing new."""
        decisions: Sequence[int] = _weighed(rule.accepted, rule.modified, rule.rejected)
        chunk: list[dict[str, Any]] = []
        number = size = 0
        for pattern in patterns:
            words = (pattern.original_pattern, pattern.suggested_pattern)
            entry = {
                **self._identity(pattern),
                "text": list(words),
                "decisions": _weighed(pattern.accepted, pattern.modified, pattern.rejected),
            }
            if chunk and size + len(encode(entry)) > _EVENT_BYTES:
                yield self._draft(learnings, rule, number, decisions, chunk)
                decisions, chunk, size, number = (0, 0, 0), [], 0, number + 1
            chunk.append(entry)
            size += len(encode(entry))
        yield self._draft(learnings, rule, number, decisions, chunk)

    def _identity(self, pattern: SharedPattern) -> dict[str, Any]:
        """The id that the team's own decisions about the same words have."""
        words, digest = (pattern.original_pattern, pattern.suggested_pattern), self._store.secret.digest
        if pattern.differences is None:
            return {"id": digest("pattern", *words)}
        return {"id": digest("literal", *words), "of": [digest("pattern", *phrase) for phrase in pattern.differences]}

    def _draft(
        self,
        learnings: LearningExport,
        rule: SharedRule,
        number: int,
        decisions: Sequence[int],
        patterns: list[dict[str, Any]],
    ) -> Draft:
        after: dict[str, Any] = {"decisions": list(decisions), "patterns": patterns}
        if rule.rule_name != rule.rule_id:
            after["rule_name"] = rule.rule_name
        origin = self._store.secret.digest("import", learnings.checksum, rule.rule_id, str(number))
        return Draft(
            f"import-{origin}",
            IMPORTED,
            self._store.clock(),
            None,
            Entity("rule", rule.rule_id),
            None,
            "{}",
            encode(after),
            encode({"checksum": learnings.checksum, "learned": {"mark": self._store.secret.mark}}),
            own_id=True,
            own_time=False,
        )


class _Recount:
    """Tallies that were made just now, of some events."""

    def __init__(self, derived: Derived) -> None:
        self._parts: dict[tuple[str, str], list[TallyRow]] = {}
        for (name, part, day, key), values in derived.tallies.items():
            if day == TIMELESS:
                self._parts.setdefault((name, part), []).append(TallyRow(key, tuple(values)))

    def rules(self, after: str, limit: int) -> list[tuple[str, tuple[int, ...]]]:
        names = sorted(part for name, part in self._parts if name == "rule" and part > after)
        return [(rule, self._parts["rule", rule][0].values) for rule in names[:limit]]

    def repeated(self, rule: str, limit: int) -> list[TallyRow]:
        rows = self._parts.get(("pattern", rule), [])
        return sorted(rows, key=lambda row: (-sum(row.values[:3]), row.key))[:limit]

    def count_people(self, rule: str, id: str = "") -> int:
        return len(self._parts.get(("person", joined(rule, id) if id else rule), []))

    def texts(self, rule: str, id: str, limit: int) -> list[TallyRow]:
        rows = self._parts.get(("text", joined(rule, id)), [])
        return sorted(rows, key=lambda row: (-row.values[0], row.key))[:limit]

    def rule_name(self, rule: str) -> str:
        rows = sorted(self._parts.get(("name", rule), []), key=lambda row: (-row.values[0], row.key))
        return rows[0].key if rows else rule


def _of_export(checksum: str) -> Entity:
    """By which an organisation recognises its own exports."""
    return Entity("export", checksum[:32])


def _rules(source: Source, wanted: Sequence[str] | None) -> Iterator[SharedRule]:
    chosen = None if wanted is None else listed(wanted, "rules")
    after = ""
    while page := source.rules(after, _PAGE):
        for rule, (accepted, modified, rejected, *_) in page:
            if chosen is None or rule in chosen:
                name, people = source.rule_name(rule), source.count_people(rule)
                yield SharedRule(rule, name, accepted, modified, rejected, people)
        after = page[-1][0]


def _patterns(source: Source, rule: str, people: int, whole_texts: bool) -> Iterator[SharedPattern]:
    """Of the team's own decisions only: what came from elsewhere is not passed on, and does not come back."""
    shared = 0
    for key, values in source.repeated(rule, _LOOKED_AT):
        id, *phrases = key.split(SEPARATOR)
        accepted, modified, rejected = values[:3]
        total = accepted + modified + rejected
        if total < SEEN or (phrases and not whole_texts) or (by := source.count_people(rule, id)) < people:
            continue
        words = _read_text(source, rule, id) if shared < _PER_RULE else None
        if words is not None:
            shared += 1
            rate = (accepted + modified) / total
            kind = "accepted" if rate >= WANTED else "rejected" if rate <= UNWANTED else "mixed"
            read = [_read_text(source, rule, phrase) for phrase in filter(None, phrases)]
            differs = tuple(text for text in read if text is not None) if phrases else None
            yield SharedPattern(
                rule_id=rule,
                pattern_type=kind,
                original_pattern=words[0],
                suggested_pattern=words[1],
                differences=differs,
                count=total,
                success_rate=round(rate, 4),
                accepted=accepted,
                modified=modified,
                rejected=rejected,
                people=by,
            )


def _read_text(source: Source, rule: str, id: str) -> tuple[str, str] | None:
    texts = [decode(row.key) for row in source.texts(rule, id, 4)] if id else []
    return next(((text[0], text[1]) for text in texts if isinstance(text[0], str) and not _is_cut(text)), None)


def _is_cut(text: Sequence[str]) -> bool:
    """A part of a text would not be recognised by whoever imports it."""
    return any(side.endswith("…") and len(side.encode()) > PATTERN_BYTES - 4 for side in text)


def _by_rule(learnings: LearningExport) -> Iterator[tuple[SharedRule, list[SharedPattern]]]:
    """Rules with their patterns. Where only patterns were exported, their decisions stand for the rule's."""
    rules = {rule.rule_id: rule for rule in learnings.statistics}
    patterns: dict[str, list[SharedPattern]] = {rule: [] for rule in rules}
    for pattern in learnings.patterns:
        patterns.setdefault(pattern.rule_id, []).append(pattern)
    for rule, found in sorted(patterns.items()):
        if rule not in rules:
            accepted, modified, rejected = (
                sum(getattr(one, name) for one in found) for name in ("accepted", "modified", "rejected")
            )
            rules[rule] = SharedRule(rule, rule, accepted, modified, rejected, people=0)
        yield rules[rule], found


def _weighed(accepted: int, modified: int, rejected: int) -> list[int]:
    """At most so many decisions, in the same proportion."""
    total = accepted + modified + rejected
    share = min(1.0, _WEIGHT / total) if total else 0.0
    return [round(count * share) for count in (accepted, modified, rejected)]
