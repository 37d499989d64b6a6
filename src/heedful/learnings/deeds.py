"""What happened to a learning, in words: one sentence per event, for people who ask why it is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from heedful.learnings import events
from heedful.learnings.changes import Edit, corrected
from heedful.learnings.content import quote, shortened
from heedful.learnings.kind import LearningKind
from heedful.learnings.kinds.pattern import COUNTS
from heedful.records import mapping, proposal
from heedful.records.event import Event
from heedful.records.insight import Quote
from heedful.records.mining import sentence_of
from heedful.records.proposal import Act
from heedful.records.review import REVIEWED
from heedful.records.suggestion import DECISIONS
from heedful.records.transcript import Speaker
from heedful.records.why import WhyKind

HEEDFUL = "heedful"
IMPORT = "import"
"""The entity kind of what was imported from the file of another team."""
IMPORTED = "imported"
DECISION = "decision"
"""The kind of what was decided once and given by itself: no learning yet."""
EXAMPLE = "example"
"""The kind of what was corrected on a document, given for another one of its layout."""
_SOMEBODY = "somebody"
_LONG = 90  # characters of a reason


class Deed(NamedTuple):
    """One act behind a learning."""

    event: Event
    who: str
    words: str
    """What they did; follows the name."""
    label: str
    """On the way to what it led to."""
    weight: int
    """What is left out first if there is too much: the highest."""
    by_person: bool = True
    kind: WhyKind = "act"
    toward: str | None = None
    """The id of the event it led to; None for the learning itself."""

    @property
    def sentence(self) -> str:
        return f"{self.who} {self.words}"


class Telling(NamedTuple):
    """What is known besides an event, to tell it."""

    kind: LearningKind[Any]
    edits: Mapping[str, Edit]
    """By their events."""
    others: Mapping[str, str]
    """The words of other learnings that events name; those that are gone are not among them."""
    reviews: Mapping[str, Event]
    messages: Mapping[str, Event]
    """By which people took it back."""
    min_people: int


def deed(event: Event, told: Telling) -> Deed | None:
    """None for an event that says nothing by itself."""
    describe = _DEEDS.get(event.kind)
    return None if describe is None else describe(event, told)


def _act(event: Event, words: str, label: str, weight: int = 1, *, by_person: bool = True) -> Deed:
    who = event.actor or (_SOMEBODY if by_person else HEEDFUL)
    return Deed(event, who, words, label, weight, by_person)


# Beginnings


def _reported(event: Event, told: Telling) -> Deed:
    words = told.kind.wording(event)
    where = f" in session {session}" if (session := event.meta.get("session")) else ""
    return _act(event, f"{corrected(words)}{where}{_saying(words)}", "taught", 0)


def _saying(words: Any) -> str:
    said = f": {quote(words.said)}" if words is not None and words.said else ""
    return f", because {quote(words.why)}" if not said and words is not None and words.why else said


def _extracted(event: Event, _: Telling) -> Deed:
    place, meta = event.entity, event.meta
    if place is not None and place.kind == IMPORT:
        summary = str(meta.get("summary", "Others shared it."))
        return _act(event, f"imported it from the file {place.id} of others. {summary}", IMPORTED, 0)
    where = f" in conversation {place.id}" if place is not None else ""
    by = str(meta.get("by", "local"))
    reader = "" if by == "local" else f", read by {by}"
    title = quote(str(event.after.get("title", "it")))
    if meta.get("rule") is True:
        return _act(event, f"taught {title}{where}{reader}", "taught", 0)
    return Deed(event, "the agent", f"found {title}{where}{reader}", "found", 0, by_person=False)


def _counted(event: Event, told: Telling) -> Deed:
    return _act(event, f"counted {_decisions(event, told)}", "counted", 0, by_person=False)


def _decisions(event: Event, told: Telling) -> str:
    """How many people is said only if they are enough not to be recognised."""
    found = event.meta.get("counts")
    counts = {name: int(found.get(name, 0)) if isinstance(found, dict) else 0 for name in COUNTS}
    people = counts.pop("people")
    many = f"{people:,} people" if people >= told.min_people else f"fewer than {told.min_people} people"
    named = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return f"{sum(counts.values()):,} decisions of {many}: {named or 'none'}"


def _adopted(event: Event, _: Telling) -> Deed:
    people = event.meta.get("approved_by")
    by = f", approved by {' and '.join(map(str, people))}" if isinstance(people, list) and people else ""
    made = _act(event, f"put it into force{by}", "adopted", 0, by_person=False)
    return made._replace(who=HEEDFUL)  # its actor is who wrote the words


def _mapped(event: Event, told: Telling) -> Deed:
    did = "rejected" if event.meta.get("rejected") is True else "confirmed"
    return _act(event, f"{did} {_meaning(told.kind.wording(event))}", did, 0)


def _meaning(words: Any) -> str:
    return "it" if words is None else f"that {quote(words.key)} means {quote(words.value)}"


def reviewed(event: Event) -> Deed:
    """A review, as evidence for a rule or as a remark of its own."""
    meta = event.meta
    decision = str(meta.get("decision", "reviewed")).replace("_", " ").lower()
    said = str(meta.get("comment") or meta.get("summary") or "")
    agent = f" of {event.entity.id}" if event.entity is not None else ""
    words = f"reviewed an output{agent} ({decision}){f': {quote(said)}' if said else ''}"
    return _act(event, words, "said", 2)._replace(kind="review")


# Later


def _confirmed(event: Event, told: Telling) -> Deed:
    meta = event.meta
    if (other := _text(meta, "by")) is not None:
        says = told.others.get(other)
        what = f"merged {quote(says)} into it" if says else "merged another learning into it, which was erased since"
        return _act(event, what, "merged", 2, by_person=False)._replace(who=HEEDFUL)
    if not meta:
        return _act(event, "said that it still holds", "confirmed", 2)
    if told.kind.begun_by == events.MAPPED:
        return _act(event, f"confirmed {_meaning(told.kind.wording(event))}", "confirmed", 2)
    where = f" in session {session}" if (session := meta.get("session")) else ""
    return _act(event, f"said it again{where}{_saying(told.kind.wording(event))}", "said again", 2)


def _edited(event: Event, told: Telling) -> Deed:
    edit = told.edits.get(event.id)
    version = f"version {1 if edit is None else edit.version}"
    if isinstance(event.meta.get("counts"), dict):
        return _act(event, f"counted {_decisions(event, told)}", "counted", 2, by_person=False)
    changes = [] if edit is None else edit.changes()
    says = ", ".join(changes) or _in_short(told.kind.wording(event))
    words = f"{version}: {says}" if says else version
    if (model := _text(event.meta, events.READ_BY)) is not None:
        return Deed(event, f"the language model {model}", f"read it again, {words}", "read again", 1, by_person=False)
    if "quality" in event.meta:
        reworded = _act(event, f"reworded it, {words}", "reworded", 2, by_person=False)
        return reworded._replace(who=HEEDFUL)
    return _act(event, f"edited it, {words}", "edited")


def _in_short(words: Any) -> str:
    """The wording of a version."""
    if words is None:
        return ""
    if hasattr(words, "title"):
        return quote(words.title)
    return corrected(words) if hasattr(words, "wrong") else ""


def _rated(event: Event, _: Telling) -> Deed:
    return _act(event, f"rated it {'up' if event.meta.get('up') is True else 'down'}", "rated", 3)


def _approved(event: Event, told: Telling) -> Deed | None:
    if told.kind.approvals > 1:
        return None  # several people agreed before it began
    version = event.meta.get("version")
    return _act(event, f"approved version {version}" if version else "approved it", "approved")


def _adjusted(event: Event, _: Telling) -> Deed:
    by = event.meta.get("by")
    change = float(by) if isinstance(by, int | float) else 0.0
    return _act(event, f"{'raised' if change > 0 else 'lowered'} its confidence by {abs(change):g}", "adjusted", 3)


def _other(event: Event, told: Telling, name: str) -> str:
    other = _text(event.meta, name)
    if other is None or other not in told.others:
        return "another learning, which was erased since"
    return f"{quote(told.others[other])} [{other}]"


def _contradicted(event: Event, told: Telling) -> Deed:
    """Both sides have such an event, so it does not say who began."""
    words = f"saw that it contradicts {_other(event, told, 'by')}"
    return Deed(event, HEEDFUL, words, "contradicts", 1, by_person=False)


def _superseded(event: Event, told: Telling) -> Deed:
    """By a decision, a newer word of the same person, or because others stand by the other one: it does not say who.
    Or a person took it back, and nothing holds instead."""
    if (id := _text(event.meta, "message")) is not None:
        message = told.messages.get(id)
        said = "in words that were erased since" if message is None else quote(sentence_of(message, event.meta))
        where = f" in conversation {event.meta.get('conversation', '')}"
        return _act(event, f"took it back{where}: {said}", "taken back")
    return Deed(event, _other(event, told, "by"), "holds instead", "replaced", 1, by_person=False)


def replacing(event: Event, replaced: str) -> Deed:
    """The same event, from the side of the learning that took the place."""
    return Deed(event, "it", f"holds instead of {quote(replaced)}", "replaces", 1, by_person=False)


def _merged(event: Event, told: Telling) -> Deed:
    reason = _reason(event.meta.get("reason"))
    merged = _act(event, f"merged it into {_other(event, told, 'into')}{reason}", "merged", by_person=False)
    return merged._replace(who=HEEDFUL)


def _retired(event: Event, _: Telling) -> Deed:
    meta = event.meta
    suspended = meta.get("suspended") is True
    words = f"{'suspended' if suspended else 'retired'} it{_reason(meta.get('why') or meta.get('reason'))}"
    return _act(event, words, "suspended" if suspended else "retired", by_person=event.actor is not None)


def _restored(event: Event, _: Telling) -> Deed:
    return _act(event, "put it into use again", "restored", by_person=event.actor is not None)


def _evaluated(event: Event, _: Telling) -> Deed:
    found = str(event.meta.get("category", "")).replace("_", " ")
    by = str(event.meta.get("by", "local"))
    reader = f"the language model {by}" if by != "local" else HEEDFUL
    words = f"found it {found}{_reason(event.meta.get('reason'))}"
    return Deed(event, reader, words, "evaluated", 3, by_person=False)


def _unconfirmed(event: Event, _: Telling) -> Deed:
    return Deed(event, "a confirmation", "was erased", "erased", 1, by_person=False, kind="erased")


def _said_in_review(words: str, label: str) -> Callable[[Event, Telling], Deed]:
    def describe(event: Event, told: Telling) -> Deed:
        review = told.reviews.get(str(event.meta.get("review", "")))
        if review is None:
            return Deed(event, "a reviewer", f"{words}; the review was erased since", label, 2, kind="erased")
        said = str(review.meta.get("comment") or review.meta.get("summary") or "")
        who = review.actor or "a reviewer"
        return Deed(review, who, f"{words}{f': {quote(said)}' if said else ''}", label, 2, kind="review")

    return describe


def _reason(why: object) -> str:
    return f": {shortened(why, _LONG)}" if isinstance(why, str) and why else ""


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) else None


_DEEDS: Mapping[str, Callable[[Event, Telling], Deed | None]] = {
    events.REPORTED: _reported,
    events.EXTRACTED: _extracted,
    events.COUNTED: _counted,
    events.ADOPTED: _adopted,
    events.MAPPED: _mapped,
    REVIEWED: lambda event, _: reviewed(event)._replace(weight=0),
    events.CONFIRMED: _confirmed,
    events.UNCONFIRMED: _unconfirmed,
    events.EDITED: _edited,
    events.RATED: _rated,
    events.APPROVED: _approved,
    events.ADJUSTED: _adjusted,
    events.CONTRADICTED: _contradicted,
    events.SUPERSEDED: _superseded,
    events.MERGED: _merged,
    events.RETIRED: _retired,
    events.RESTORED: _restored,
    events.EVALUATED: _evaluated,
    events.RECURRED: _said_in_review("had to say it again", "said again"),
    events.OPPOSED: _said_in_review("said the contrary", "objected"),
}


# What is behind an act

_SPEAKERS = {Speaker.ASSISTANT: "the agent"}


def quoted(message: Event, said: Quote, toward: str) -> Deed:
    """A message that an insight quotes."""
    by_person = said.role is Speaker.USER
    who = message.actor or _SOMEBODY if by_person else _SPEAKERS.get(said.role, f"the {said.role.value}")
    return Deed(message, who, f"said {quote(said.text)}", "quoted", 2, by_person, "message", toward)


def decided(event: Event) -> Deed:
    """One decision that a pattern counts. Who made it is not told: a pattern only counts people."""
    before = event.before
    texts = [str(before[name]) for name in ("original", "suggested") if before.get(name)]
    change = f": {' to '.join(map(quote, texts))}" if texts else ""
    words = f"{DECISIONS[event.kind].value} a suggestion{change}"
    return Deed(event, _SOMEBODY, words, "counted", 3, by_person=False, kind="decision")


def decided_once(event: Event) -> str:
    """All that one decision says, which was given by itself."""
    final, comment = event.after.get("modification") or event.after.get("final"), event.meta.get("comment")
    instead = f", to {quote(final)} instead" if isinstance(final, str) and final else ""
    why = f", because {quote(comment)}" if isinstance(comment, str) and comment else ""
    return f"{decided(event).sentence}{instead}{why}"


def corrected_on_document(event: Event) -> Deed:
    document = event.meta.get("document")
    return _act(
        event, f"corrected it on document {document}" if document else "corrected it on a document", "taught", 0
    )


def brought(event: Event, pattern: str) -> Deed | None:
    """Decisions of another team that were imported, if this pattern is among them."""
    found = next((one for one in event.after.get("patterns", ()) if one.get("id") == pattern), None)
    if found is None:
        return None
    counts = zip(COUNTS[:-1], found.get("decisions", ()), strict=False)
    named = ", ".join(f"{count:,} {name}" for name, count in counts if count)
    return _act(event, f"imported decisions of another team: {named or 'none'}", IMPORTED, 0)


def mapped(event: Event, document: str | None) -> Deed:
    """What a person confirmed or rejected, and on which document."""
    meta, did = event.meta, "confirmed" if event.kind == mapping.CONFIRMED else "rejected"
    value = str(meta.get("internal_sku") or meta.get("value") or "")
    what = f"that {quote(str(meta.get('key', '')))} means {quote(value)}"
    draft = meta.get("draft")
    where = f" on document {document}" if document else f" on draft {draft}" if draft else ""
    return _act(event, f"{did} {what}{where}", did, 0 if event.kind == mapping.REJECTED else 2)


def proposed(found: Sequence[Event], until: str) -> list[Deed]:
    """How a rule was proposed and agreed on: its proposal, and what people did with it."""
    made = [_proposal(event, until) for event in found]
    return [one for one in made if one is not None]


def _proposal(event: Event, made: str) -> Deed | None:
    meta = event.meta
    if event.kind == proposal.MADE:
        what = "rule" if meta.get("act") == Act.ADOPT.value else str(meta.get("act", "change"))
        by_person = event.actor is not None
        one = _act(event, f"proposed the {what}{_reason(meta.get('reason'))}", "proposed", 0, by_person=by_person)
        return one._replace(kind="proposal")
    if event.kind == proposal.EDITED:
        how = f"reworded the proposal{_reason(event.after.get('text'))}" if event.after else "added evidence"
        return _act(event, how, "edited", by_person=event.actor is not None)._replace(toward=made)
    if event.kind == proposal.APPROVED:
        return _act(event, f"agreed{_reason(meta.get('why'))}", "agreed")._replace(toward=made)
    if event.kind == proposal.DECIDED and meta.get("accepted") is not True:
        return _act(event, f"rejected the proposal{_reason(meta.get('why'))}", "rejected")._replace(toward=made)
    return None  # that it was accepted is what the rule begins with
