"""Examples for extraction prompts: what people corrected in documents of the same layout."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.learnings.documents.library import Library
from heedful.records.document import CORRECTIONS, DRAFT, EXAMPLES, SNIPPET, HintExample
from heedful.records.event import Event, EventFilter
from heedful.store import Store
from heedful.text.fence import data, quoted

_PER_PAGE, _MOST = 8, 4_096
_QUOTED = 160  # characters of a document
_DRAFTS = 6  # of the family, in which to look for more


def hint_examples(store: Store, layout: str, family: str | None = None, limit: int = EXAMPLES) -> list[HintExample]:
    return list(map(example_of, example_events(store, layout, family, limit)))


def example_events(store: Store, layout: str, family: str | None = None, limit: int = EXAMPLES) -> list[Event]:
    """The newest corrections of exactly this layout, and after them those of the same family of layouts.

    Two senders may have the same fingerprint by chance; what is known to be of another family is no example.
    """
    found = _exact(store, layout, family, limit)
    if family and len(found) < limit:
        drafts = Library(store).taught(family, _DRAFTS)
        known = {event.id for event in found}
        others = _usable(store, store.log.about(DRAFT, drafts))
        found += [event for event in reversed(others) if event.id not in known][: limit - len(found)]
    return found


def example_of(event: Event) -> HintExample:
    snippet = event.meta.get("input_snippet", "")
    return HintExample(snippet[:SNIPPET] if isinstance(snippet, str) else "", event.after)


def in_words(example: HintExample) -> str:
    """An example in a line."""
    beginning = f" that begins {quoted(example.input_snippet, _QUOTED)}" if example.input_snippet else ""
    return f"on a document of this layout{beginning}, right was {data(example.output)}"


def _exact(store: Store, layout: str, family: str | None, limit: int) -> list[Event]:
    found: list[Event] = []
    place, size = None, _PER_PAGE
    wanted = EventFilter(layout=layout, newest_first=True)
    while len(found) < limit and (page := store.log.page(wanted, place, size)):
        found += [event for event in _usable(store, page) if event.meta.get("family", family) == family]
        place, size = page[-1].seq, min(_MOST, 8 * size)
    return found[:limit]


def _usable(store: Store, events: Sequence[Event]) -> list[Event]:
    """Corrections that say what is right, of documents that were not deleted."""
    telling = [event for event in events if event.kind in CORRECTIONS and event.after]
    named = {document for event in telling if isinstance(document := event.meta.get("document"), str)}
    deleted = Library(store).deleted(sorted(named)) if named else set()
    return [event for event in telling if event.meta.get("document") not in deleted]
