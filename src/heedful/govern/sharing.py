"""What a team learned, for another team: a file that tells nobody's doing in particular, and that can be trusted.

A pattern is in it only if enough different people contributed. A file is taken in whole or not at all, once however
often it comes, and counts only so much: see `model/evidence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any, Protocol

from heedful.errors import Conflict, Forbidden, InvalidInput, InvalidLearnings
from heedful.govern.signing import require_genuine
from heedful.model.clock import moment
from heedful.model.event import Draft, Entity, EventFilter
from heedful.model.evidence import SEEN, UNWANTED, WANTED
from heedful.model.fix import DECISIONS, IMPORTED, PATTERN_BYTES, PROJECTION, RETENTION, SEPARATOR, joined
from heedful.model.json import decode, encode
from heedful.model.names import ID_LIMIT, PEOPLE_LIMIT, identifier, listed, whole
from heedful.model.period import Period
from heedful.model.privacy import Privacy
from heedful.model.projection import TIMELESS, Derived
from heedful.model.sharing import FORMAT, VERSION, Imported, LearningExport, SharedPattern, SharedRule, Signature
from heedful.model.words import canonical
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.suggestions import TallyRow

_EXPORTED = "AUDIT_LEARNING_EXPORTED"
_PER_RULE = 100
_LOOKED_AT = 1_000
_MOST = 100_000  # patterns or rules in one file
_WEIGHT = 1_000  # decisions that one entry of a file counts for at most
_EVENT_BYTES = 8_000
_PAGE = 500
_DIFFERENCES = 6
_TYPES = ("accepted", "rejected", "mixed")


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
        learnings = checked(told, trusted)
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


def document(learnings: LearningExport) -> dict[str, Any]:
    """As the file has it."""
    told = asdict(learnings)
    told["exported_at"] = learnings.exported_at.isoformat().replace("+00:00", "Z")
    told["patterns"], told["statistics"] = list(told["patterns"]), list(told["statistics"])
    for pattern in told["patterns"]:
        if pattern["differences"] is not None:
            pattern["differences"] = [list(pair) for pair in pattern["differences"]]
    if told["signature"] is None:
        del told["signature"]
    return told


def checksum(told: Mapping[str, Any]) -> str:
    """Over all but the checksum and the signature, whatever the order and spacing."""
    content = {name: _same(value) for name, value in told.items() if name not in ("checksum", "signature")}
    return sha256(encode(content, "the file").encode()).hexdigest()


def _same(value: Any) -> Any:
    """Some programs write 1.0 as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _same(inner) for name, inner in value.items()}
    return [_same(inner) for inner in value] if isinstance(value, list | tuple) else value


def checked(told: object, trusted: Sequence[str] | None) -> LearningExport:
    """The learnings of a file; or an error that tells why none of it is taken."""
    if isinstance(told, LearningExport):
        told = document(told)
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise _refused("It is not a file of learnings.", "Export one with `heedful export`.")
    version = told.get("version")
    if type(version) is not int or version < 1:
        raise _refused(f"Its version is {version!r}.", "Export it again.")
    if version > VERSION:
        raise _refused(
            f"It has version {version}; this heedful knows versions up to {VERSION}.", "Run: pip install -U heedful"
        )
    try:
        fits = told.get("checksum") == checksum(told)
        learnings = _read(told) if fits else None
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        what = error.message if isinstance(error, InvalidInput) else f"{type(error).__name__}: {error}"
        raise _refused(f"It does not hold what it should. {what}", "Export it again.") from None
    if learnings is None:
        raise _refused("Its checksum does not fit: it is damaged or was changed.", "Ask for the file again.")
    _require_trust(learnings, trusted)
    return learnings


def _require_trust(learnings: LearningExport, trusted: Sequence[str] | None) -> None:
    if learnings.signature is not None:
        require_genuine(learnings.checksum, learnings.signature)
    if trusted is None:
        return
    keys = listed(trusted, "trusted")
    if learnings.signature is None:
        raise _refused("It is not signed.", "Ask for a signed one, or do without the list of trusted keys.")
    if learnings.signature.public_key not in keys:
        raise _refused(f"It is signed by {learnings.signature.public_key}.", "That is not a key you trust.")


def _read(told: Mapping[str, Any]) -> LearningExport:
    patterns, rules, signature = _list(told["patterns"]), _list(told["statistics"]), told.get("signature")
    if max(len(patterns), len(rules)) > _MOST:
        raise ValueError(f"more than {_MOST:,} entries")
    return LearningExport(
        format=FORMAT,
        version=VERSION,
        exported_at=moment(told["exported_at"], "exported_at"),
        min_people=whole(told["min_people"], "min_people", PEOPLE_LIMIT),
        patterns=tuple(_pattern(one) for one in patterns),
        statistics=tuple(_rule(one) for one in rules),
        checksum=str(told["checksum"]),
        signature=None if signature is None else _signature(signature),
    )


def _pattern(told: Mapping[str, Any]) -> SharedPattern:
    counts = {name: _count(told[name], name) for name in ("accepted", "modified", "rejected", "people", "count")}
    if counts["accepted"] + counts["modified"] + counts["rejected"] != counts["count"]:
        raise ValueError("the decisions about a pattern do not add up")
    words = _pair([told["original_pattern"], told["suggested_pattern"]])
    differences = None if told["differences"] is None else tuple(map(_pair, _list(told["differences"])))
    if differences is not None and len(differences) > _DIFFERENCES:
        raise ValueError("a text has too many differences")
    return SharedPattern(
        rule_id=identifier(told["rule_id"], "rule_id"),
        pattern_type=_type(told["pattern_type"]),
        original_pattern=words[0],
        suggested_pattern=words[1],
        differences=differences,
        success_rate=_share(told["success_rate"]),
        **counts,
    )


def _rule(told: Mapping[str, Any]) -> SharedRule:
    return SharedRule(
        rule_id=identifier(told["rule_id"], "rule_id"),
        rule_name=identifier(told["rule_name"], "rule_name"),
        **{name: _count(told[name], name) for name in ("accepted", "modified", "rejected", "people")},
    )


def _signature(told: Mapping[str, Any]) -> Signature:
    return Signature(**{name: _line(told[name]) for name in ("algorithm", "public_key", "value")})


def _words(text: object) -> str:
    if not isinstance(text, str) or len(text.encode()) > PATTERN_BYTES:
        raise ValueError("a pattern is not a short text")
    if not text.replace("\u200c", "").replace("\u200d", "").isprintable():
        raise ValueError("a pattern holds characters that cannot be seen")
    return text


def _list(told: object) -> list[Any]:
    if not isinstance(told, list):
        raise ValueError(f"{type(told).__name__} is not a list")  # noqa: TRY004 - all that is wrong with it is one thing
    return told


def _type(told: object) -> str:
    if told not in _TYPES:
        raise ValueError("a pattern is of an unknown type")
    return str(told)


def _share(told: object) -> float:
    if type(told) not in (int, float) or not 0 <= told <= 1:  # type: ignore[operator]
        raise ValueError(f"a rate is {told!r}")
    return float(told)  # type: ignore[arg-type]


def _pair(told: object) -> tuple[str, str]:
    """As words are counted here; other ways to write them would be other patterns that look the same."""
    before, after = _list(told)
    return canonical(_words(before), _words(after))


def _line(text: object) -> str:
    if not isinstance(text, str) or len(text) > ID_LIMIT:
        raise ValueError("the signature is not one")
    return text


def _count(value: object, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError(f"{name} is {value!r}")
    return value


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


def _refused(why: str, hint: str) -> InvalidLearnings:
    return InvalidLearnings(f"Nothing was imported. {why}", hint=hint)
