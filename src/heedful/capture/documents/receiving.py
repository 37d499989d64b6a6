"""Receives documents: reads them, recognises their layout, and stores them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.payload import bounded
from heedful.errors import Conflict, DocumentTooLarge, InvalidInput
from heedful.learnings.documents.layout import features, fingerprint
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.words import PDF, WORDS, packed_words
from heedful.operations import caller
from heedful.records.clock import aware
from heedful.records.document import FILE_LIMIT, LAYOUT, RECEIVED, SNIPPET, DocumentText, PageText, Word
from heedful.records.event import Draft, Entity, Event
from heedful.records.suggestion import RETENTION
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.checks import checked_text, clipped, visible
from heedful.text.page_text import plain
from heedful.text.tables import coverage, table_count

_NAME = "document.pdf"
_NAME_LIMIT = 200
_SIZES = 20  # pages whose dimensions are recorded
_MOST_PAGES = 200
_MOST_WORDS = 200_000
_LONGEST_WORD = 500


class ReceivedDocument(NamedTuple):
    """A document, read and checked."""

    text: DocumentText
    content: bytes | None
    """The PDF file, if there is one."""
    name: str
    customer: str | None
    by: str | None
    at: datetime | None
    id: str | None


def file_content(file: str | PathLike[str] | bytes | IO[bytes]) -> tuple[bytes, str]:
    """The bytes of a file, and its name. Some files have no size, and no end."""
    if isinstance(file, bytes | bytearray | memoryview):
        content, name = bytes(file), _NAME
    elif isinstance(file, str | PathLike):
        path = Path(file).expanduser()
        try:
            with path.open("rb") as opened:
                content, name = opened.read(FILE_LIMIT + 1), path.name
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or "not a path").lower()
            raise InvalidInput(f"{path.name} cannot be read: {why}.", hint="Pass the path of a PDF file.") from error
    elif hasattr(file, "read") and isinstance(content := file.read(FILE_LIMIT + 1), bytes):
        name = _NAME
    else:
        raise InvalidInput(f"file is a {type(file).__name__}.", hint="Pass a path, or the bytes of a PDF file.")
    if len(content) > FILE_LIMIT:
        hint = "Send a smaller file, or split it."
        raise DocumentTooLarge(f"The file has more than {FILE_LIMIT:,} bytes.", hint=hint)
    return content, name


def file_name(name: str) -> str:
    """The last part of a path, without what cannot be seen."""
    text = visible(checked_text(name, "name", 10 * _NAME_LIMIT)).replace("\\", "/").rpartition("/")[2]
    return clipped(text, _NAME_LIMIT) or _NAME


def given_pages(pages: object) -> DocumentText:
    """The words of somebody's own text recognition."""
    if not isinstance(pages, Sequence) or isinstance(pages, str | bytes) or not pages:
        raise InvalidInput("pages must be a list of pages.", hint=_PAGES_HINT)
    if len(pages) > _MOST_PAGES:
        raise DocumentTooLarge(f"There are {len(pages):,} pages; {_MOST_PAGES} are allowed.", hint="Split it.")
    read = tuple(_page(page, number) for number, page in enumerate(pages, 1))
    words = sum(len(page.words) for page in read)
    if words > _MOST_WORDS:
        raise DocumentTooLarge(f"There are {words:,} words; {_MOST_WORDS:,} are allowed.", hint="Split it.")
    if not words:
        raise InvalidInput("There are no words on the pages.", hint=_PAGES_HINT)
    return DocumentText(read, sum(map(table_count, read)), coverage(read))


_PAGES_HINT = (
    'Pass [{"width": 595, "height": 842, "words": [[x0, y0, x1, y1, "text"], …]}, …] with places as shares of the page.'
)


def _page(page: object, number: int) -> PageText:
    try:
        width, height, words = float(page["width"]), float(page["height"]), page["words"]  # type: ignore[index]
        read = tuple(_word(word) for word in words)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise InvalidInput(f"Page {number} is not a page.", hint=_PAGES_HINT) from error
    if not (0 < width <= 1e6 and 0 < height <= 1e6):
        raise InvalidInput(f"Page {number} has an odd size.", hint=_PAGES_HINT)
    return PageText(width, height, tuple(word for word in read if word.text))


def _word(word: Any) -> Word:
    *places, text = word
    x0, y0, x1, y1 = map(float, places)
    if not all(-0.5 <= place <= 1.5 for place in (x0, y0, x1, y1)) or not isinstance(text, str):
        raise ValueError("a word is not on its page")
    clean = " ".join(visible(checked_text(text, "word", _LONGEST_WORD)).split())
    return Word(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), clean)


def receive(store: Store, given: ReceivedDocument) -> Event:
    store.secret.load()
    sha = sha256(given.content if given.content is not None else packed_words(given.text)).hexdigest()
    found, id = features(given.text), given.id or str(uuid7())
    snippet = store.redactor.texts(plain(given.text, SNIPPET))[0][:SNIPPET]
    with store.recording() as record:  # the family is chosen inside, so that two at once do not begin two
        begin(store, record)
        known = None if given.id is None else store.log.get(given.id)
        if known is not None:
            return _repeated(known, given, sha)
        match = Library(store).family(found)
        family = match.family if match is not None and match.joins else id
        after = {
            "name": given.name,
            "sha256": sha,
            "page_count": len(given.text.pages),
            "page_dimensions": [list(size) for size in given.text.dimensions[:_SIZES]],
            "table_count": given.text.tables,
            "text_coverage_ratio": round(given.text.coverage, 4),
            "customer": given.customer,
            "family": family,
            "similarity": round(match.similarity, 4) if match is not None and match.joins else 1.0,
            "is_pdf": given.content is not None,
        }
        meta: dict[str, Any] = {"features": list(found.tokens)}
        if record.privacy.store_original_text:
            meta["input_snippet"] = snippet
        draft = Draft(
            id,
            RECEIVED,
            given.at or aware(store.clock()),
            actor_of(store, given.by),
            Entity(LAYOUT, fingerprint(given.text)),
            None,
            *bounded({}, {name: value for name, value in after.items() if value is not None}, meta),
            own_id=given.id is not None,
            own_time=given.at is not None,
        )
        event = record.append([draft])[0]
        store.files.put_text(record.transaction, id, WORDS, packed_words(given.text))
        if given.content is not None:
            store.files.put(record.transaction, id, PDF, given.content)
    return event


def _repeated(known: Event, given: ReceivedDocument, sha: str) -> Event:
    after = known.after
    if known.kind == RECEIVED and after.get("sha256") == sha and after.get("customer") == given.customer:
        return known
    raise Conflict(
        f"The id {known.id!r} is recorded already, with different content.", hint="Give another document another id."
    )


def begin(store: Store, record: Recording) -> None:
    """Refuses another secret than the one of before. From the first use on, workers look daily for what is too old."""
    if store.secret.check(record):
        record.queue([RETENTION])


def actor_of(store: Store, by: str | None) -> str | None:
    """Who acts, as it may be stored."""
    if by is None:
        return None if caller.current() is None else caller.actor()
    return store.secret.person(by) if store.privacy().anonymize_users else by
