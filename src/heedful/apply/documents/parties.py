"""Seller and buyer: by labels, letterhead, the line above the address, legal forms and address blocks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, best, single
from heedful.apply.documents.labels import FAIR, OTHER, Hit
from heedful.apply.documents.sheet import Piece, Row, Segment, Sheet, Span
from heedful.text.printed_values import compact, spaced

_FORMS = frozenset(
    [
        *("gmbh", "ag", "kg", "ohg", "gbr", "ug", "eg", "ek", "mbh", "kgaa", "se", "stiftung", "verein", "ev"),
        *("ltd", "limited", "plc", "llp", "llc", "inc", "corp", "corporation", "co", "company", "pty", "pte"),
        *("sarl", "sas", "sasu", "eurl", "sa", "snc", "sl", "slu", "sll", "srl", "srls", "spa", "sapa"),
        *("bv", "nv", "vof", "cv", "bvba", "sprl", "lda", "unipessoal", "sociedade"),
        *("kft", "sro", "spzoo", "as", "ab", "aps", "oy"),
    ]
)
_FORM_SIGNS = (
    "gmbh",
    "a.g.",
    "s.l.",
    "s.a.",
    "s.r.l.",
    "s.p.a.",
    "b.v.",
    "n.v.",
    "s.a.s.",
    "e.k.",
    "e.v.",
    "lda.",
    "ltd.",
    "inc.",
)
_POSTCODE = re.compile(
    r"(?<![\w.,/-])(?:[A-Z]{1,2}-)?\d{4,5}(?:-\d{3,4})?,? [^\W\d_]{2}|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b"
    r"|\b[A-Z]{2},? \d{5}\b|\b[A-Z]\d{2} [A-Z0-9]{4}\b"
)
_SEPARATORS = re.compile(r" [·•|∙*–-] |[·•|∙]|, ")
_SALUTATIONS = frozenset(
    [
        *("herrn", "herr", "frau", "mr", "mrs", "ms", "dr", "prof", "sr", "sra", "sig", "spett", "exmo"),
        *("monsieur", "madame", "mme", "dhr", "mevr"),
    ]
)
_SKIPPED = frozenset(["firma", "messrs", "company", "attn", "c", "o", "an", "to"])
_CONTACTS = ("tel", "fax", "phone", "email", "www", "http", "ust", "vat", "iban", "bic", "page", "seite")
_TITLES = ("invoice_number", "order_number", "seller", "buyer", "issue_date", OTHER)
_NAME_LIMIT = 70  # characters; longer is prose


class Block(NamedTuple):
    """Lines one below the other with the same left edge."""

    lines: list[tuple[int, Segment]]
    x0: float


def parties(page: Sheet, labels: list[list[Hit]], *, order: bool) -> dict[str, Candidate | None]:
    """The seller and the buyer. On an order the letterhead is the buyer's, and the address the seller's."""
    return PartyRules(page, labels).parties(order=order)


class PartyRules:
    def __init__(self, page: Sheet, labels: list[list[Hit]]) -> None:
        self._sheet = page
        self._labels = labels
        self._top = page.ends[0] if page.ends else 0
        self._blocks = list(_blocks(page, self._top))

    def parties(self, *, order: bool) -> dict[str, Candidate | None]:
        sender, addressee = ("buyer", "seller") if order else ("seller", "buyer")
        address = best([*self._labelled(addressee), *self._addresses()])
        other = "" if address is None else compact(str(address.value))
        named = [one for one in self._labelled(sender) if compact(str(one.value)) != other]
        letterhead = self._agreed([*named, *self._letterheads(other)])
        return {addressee: address, sender: letterhead}

    # Labels

    def _labelled(self, field: str) -> Iterator[Candidate]:
        for place, hits in enumerate(self._labels[: self._top]):
            for hit in hits:
                if hit.field == field and self._alone(place, hit):
                    found = self._name_by(place, hit)
                    if found is not None:
                        yield Candidate(*found, hit.strength * (0.9 if self._addressed(found[1], found[0]) else 0.5))

    def _addressed(self, span: Span, name: str) -> bool:
        """A town is written under the name, or it has a legal form."""
        if has_legal_form(name):
            return True
        piece = span.pieces[-1]
        x0, _ = self._sheet.rows[piece.row].extent(piece.start, piece.end)
        for below in self._sheet.below(piece.row, 6, 6.0):
            for segment in self._sheet.rows[below].segments:
                if abs(segment.x0 - x0) < 0.015 and self._postcode(below, segment):
                    return True
        return False

    def _alone(self, place: int, hit: Hit) -> bool:
        """The label is a heading of its own, or a colon follows."""
        row = self._sheet.rows[place]
        segment = row.segment_at(hit.start)
        if row.text[hit.end : hit.end + 2].strip()[:1] == ":":
            return True
        return hit.opening and not compact(row.text[hit.end : segment.end])

    def _name_by(self, place: int, hit: Hit) -> tuple[str, Span] | None:
        row = self._sheet.rows[place]
        own = row.segment_at(hit.start)
        start = _after_colon(row.text, hit.end)
        if start < own.end and _like_name(row.text[start : own.end]):
            return spaced(row.text[start : own.end]), single(place, start, own.end)
        x0, x1 = row.extent(hit.start, hit.end)
        below = self._name_below(place, x0, x1)
        if below is not None:
            return below
        beside = next((segment for segment in row.segments if segment.start > own.start), None)
        if beside is not None and _like_name(row.text[beside.start : beside.end]) and not self._label_in(place, beside):
            return spaced(row.text[beside.start : beside.end]), single(place, beside.start, beside.end)
        return None

    def _name_below(self, place: int, x0: float, x1: float) -> tuple[str, Span] | None:
        for below in self._sheet.below(place, 5, 4.0):
            row = self._sheet.rows[below]
            for at, segment in enumerate(row.segments):
                if not (segment.x0 < x1 + 0.02 and segment.x1 > x0 - 0.01):
                    continue
                text = row.text[segment.start : segment.end]
                named = self._value_of_name(below, segment)
                if named is not None:
                    return named
                after = row.segments[at + 1].start if at + 1 < len(row.segments) else len(row.text)
                labelled = ":" in text or row.text[after : after + 1] == ":"
                if _like_name(text) and not labelled and not self._label_in(below, segment):
                    return self._whole_name(below, segment)
        return None

    def _value_of_name(self, place: int, segment: Segment) -> tuple[str, Span] | None:
        """`Name: Global Supplies Ltd.` in a block of labelled lines."""
        row = self._sheet.rows[place]
        text = row.text[segment.start : segment.end]
        if compact(text.partition(":")[0]) not in (
            "name",
            "nom",
            "nombre",
            "nome",
            "naam",
            "firma",
            "company",
            "ragionesociale",
        ):
            return None
        start = segment.start + text.find(":") + 1 if ":" in text else segment.end
        start = _after_colon(row.text, start)
        if start < segment.end:
            return spaced(row.text[start : segment.end]), single(place, start, segment.end)
        beside = next((other for other in row.segments if other.start > segment.start), None)
        if beside is None:
            return None
        return spaced(row.text[beside.start : beside.end]), single(place, beside.start, beside.end)

    def _whole_name(self, place: int, segment: Segment) -> tuple[str, Span]:
        """A form of address alone in its line belongs to the name below it."""
        row = self._sheet.rows[place]
        text = row.text[segment.start : segment.end]
        if compact(text) in _SALUTATIONS | _SKIPPED:
            for below in self._sheet.below(place, 2, 1.5):
                other = self._sheet.rows[below]
                for under in other.segments:
                    if abs(under.x0 - segment.x0) < 0.02:
                        name = other.text[under.start : under.end]
                        pieces = (Piece(place, segment.start, segment.end), Piece(below, under.start, under.end))
                        if compact(text) in _SKIPPED:
                            return spaced(name), Span(pieces[1:])
                        return spaced(f"{text} {name}"), Span(pieces)
        return spaced(text), single(place, segment.start, segment.end)

    def _label_in(self, place: int, segment: Segment) -> bool:
        return any(
            segment.start <= hit.start < segment.end and hit.opening and (hit.strength >= FAIR)
            and _covers(self._sheet.rows[place], segment, hit)
            for hit in self._labels[place]
        )  # fmt: skip

    # Addresses

    def _addresses(self) -> Iterator[Candidate]:
        """The first lines of blocks with a postcode in the upper half, where windows of envelopes are."""
        seen = 0
        for block in self._blocks:
            first, segment = block.lines[0]
            row = self._sheet.rows[first]
            coded = [at for at, (place, one) in enumerate(block.lines) if self._postcode(place, one)]
            if not coded or row.y0 > 0.5:
                continue
            lines = block.lines
            if coded[0] == 0 or self._return_line(*lines[0]):
                lines = lines[1:]
                coded = [at - 1 for at in coded if at > 0]
            if not lines or not coded or coded[0] == 0:
                continue
            place, segment = lines[0]
            text = self._sheet.rows[place].text[segment.start : segment.end]
            if not _like_name(text):
                continue
            name, span = self._whole_name(place, segment)
            window = 0.1 < self._sheet.rows[place].y0 < 0.4
            yield Candidate(name, span, (0.62 if window else 0.3) - 0.05 * seen, "position")
            seen += 1

    def _postcode(self, place: int, segment: Segment) -> bool:
        return _POSTCODE.search(self._sheet.rows[place].text[segment.start : segment.end]) is not None

    def _return_line(self, place: int, segment: Segment) -> str:
        """The sender in one line above an address: name, street and town with signs between them."""
        text = self._sheet.rows[place].text[segment.start : segment.end]
        parts = _SEPARATORS.split(text, maxsplit=6)
        if len(parts) >= 3 and len(text) < 140 and _POSTCODE.search(text) and not any(map(str.isdigit, parts[0])):
            return "" if ":" in parts[0] else parts[0]
        return ""

    # Letterheads

    def _letterheads(self, other: str) -> Iterator[Candidate]:
        yield from self._return_lines(other)
        yield from self._companies(other)
        yield from self._first_lines(other)

    def _return_lines(self, other: str) -> Iterator[Candidate]:
        for place in range(self._top):
            row = self._sheet.rows[place]
            if not 0.02 < row.y0 < 0.4:
                continue
            for segment in row.segments:
                name = self._return_line(place, segment)
                if name and _like_name(name) and compact(name) != other:
                    end = segment.start + len(name)
                    span = single(place, segment.start, end)
                    yield Candidate(spaced(name.strip(" ,")), span, 0.7 if has_legal_form(name) else 0.5, "position")

    def _companies(self, other: str) -> Iterator[Candidate]:
        """Names with a legal form: at the top, or at the foot of the page."""
        for place in range(self._top):
            row = self._sheet.rows[place]
            for segment in row.segments:
                text = row.text[segment.start : segment.end]
                if len(text) > 160 or not has_legal_form(text):
                    continue
                name = _company(text)
                if (
                    name is None
                    or ":" in name
                    or any(word.isdigit() for word in name.split())
                    or not _like_name(name)
                    or compact(name) == other
                ):
                    continue
                start = segment.start + text.index(name)
                score = 0.66 if row.y0 < 0.12 else 0.5 if row.y0 > 0.8 else 0.3
                yield Candidate(spaced(name), single(place, start, start + len(name)), score, "shape")

    def _first_lines(self, other: str) -> Iterator[Candidate]:
        """The highest letters at the top are the letterhead, unless they are the title."""
        rows = [row for row in self._sheet.rows[: self._top][:12] if row.y0 < 0.16]
        tallest = max((row.height for row in rows), default=0.0)
        for place, row in enumerate(rows):
            for segment in row.segments:
                text = row.text[segment.start : segment.end]
                if not _like_name(text) or compact(text) == other or self._titled(place, segment) or ":" in text:
                    continue
                height = max(word.y1 - word.y0 for word in row.words[segment.first : segment.last])
                score = (
                    0.5 if height >= 0.97 * tallest and height > 1.15 * self._usual else 0.34 if place == 0 else 0.12
                )
                yield Candidate(spaced(text), single(place, segment.start, segment.end), score, "position")

    @property
    def _usual(self) -> float:
        heights = sorted(row.height for row in self._sheet.rows[: self._top])
        return heights[len(heights) // 2] if heights else 0.01

    def _titled(self, place: int, segment: Segment) -> bool:
        text = compact(self._sheet.rows[place].text[segment.start : segment.end])
        return any(segment.start <= hit.start < segment.end and (hit.opening or hit.field == "invoice_number")
                   and hit.field in _TITLES for hit in self._labels[place]) or text.startswith("rechnung")  # fmt: skip

    def _agreed(self, candidates: list[Candidate]) -> Candidate | None:
        """Several places with one name make it likely. The longest form of it that has a legal form is taken."""
        groups: dict[str, list[Candidate]] = defaultdict(list)
        for one in candidates:
            groups[compact(str(one.value))].append(one)
        ranked = []
        for name, ones in groups.items():
            doubt = 1.0
            for one in {one.span: one for one in sorted(ones, key=lambda one: one.score)}.values():
                doubt *= 1 - one.score
            # a short name of which a longer one is made speaks for the longer one
            for shorter, others in groups.items():
                if len(shorter) > 4 and shorter != name and name.startswith(shorter):
                    doubt *= 1 - 0.6 * max(one.score for one in others)
            chosen = max(ones, key=lambda one: one.score)
            ranked.append(chosen._replace(score=min(0.95, 1 - doubt)))
        return best(ranked)


def _blocks(page: Sheet, rows: int) -> Iterator[Block]:
    """Blocks of lines that share their left edge, on the first page."""
    found: list[Block] = []
    open_blocks: list[Block] = []
    for place in range(min(rows, 400)):
        row = page.rows[place]
        open_blocks = [block for block in open_blocks if row.y0 - page.rows[block.lines[-1][0]].y1 < 1.6 * row.height]
        for segment in row.segments:
            for block in open_blocks:
                if abs(block.x0 - segment.x0) < 0.012 and block.lines[-1][0] != place:
                    block.lines.append((place, segment))
                    break
            else:
                block = Block([(place, segment)], segment.x0)
                open_blocks.append(block)
                found.append(block)
    yield from (block for block in found if len(block.lines) >= 2)


def _after_colon(text: str, start: int) -> int:
    while start < len(text) and text[start] in " :;.-–=":
        start += 1
    return start


def _covers(row: Row, segment: Segment, hit: Hit) -> bool:
    """The label is the segment, or a colon follows it, so the segment is no name that begins like a label."""
    rest = row.text[hit.end : segment.end]
    return not compact(rest) or rest.lstrip()[:1] == ":" or any(map(str.isdigit, rest))


def _like_name(text: str) -> bool:
    text = text.strip()
    letters = sum(map(str.isalpha, text))
    if letters < 2 or len(text) > _NAME_LIMIT or "@" in text or letters < 0.5 * len(text.replace(" ", "")):
        return False
    return not compact(text).startswith(_CONTACTS) and text[-1] != "?"


def has_legal_form(text: str) -> bool:
    words = text.split()
    if any(
        compact(word) in _FORMS and not word.islower() and not _county(words, at) for at, word in enumerate(words) if at
    ):
        return True
    lowered = text.lower()
    return any(sign in lowered for sign in _FORM_SIGNS)


def _county(words: list[str], place: int) -> bool:
    """`Co. Derry` is a place: as a form of companies, it ends the name or another form follows."""
    if compact(words[place]) != "co" or place + 1 == len(words):
        return False
    return not (words[place].endswith(",") or compact(words[place + 1]) in _FORMS)


def _company(text: str) -> str | None:
    """The name up to its legal form, without what stands before a separator or after the form."""
    words = text.split(" ")
    last = None
    for place, word in enumerate(words):
        folded = compact(word)
        whole = folded in _FORMS and not word.islower() and place > 0 and not _county(words, place)
        glued = not whole and any(folded.endswith(form) and len(folded) > len(form) + 3 for form in ("gmbh",))
        signed = place > 0 and any(word.lower().startswith(sign) for sign in _FORM_SIGNS)
        if whole or glued or signed:
            last = place
        elif last is not None and word not in ("&", "+", "und", "et", "e"):
            break
    if last is None:
        return None
    first = 0
    for place in range(last):
        if words[place] in ("·", "|", "•", "-", "–") or (words[place].endswith((":", ".")) and len(words[place]) > 4):
            first = place + 1
    name = " ".join(words[first : last + 1]).rstrip(",;·|-")
    return name or None
