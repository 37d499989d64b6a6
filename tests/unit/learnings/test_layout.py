"""A document joins the family of its sender, and no other one."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import permutations

import pytest

from heedful.learnings.documents.layout import (
    JOIN,
    FamilyMatch,
    Features,
    best_family,
    features,
    fingerprint,
    fingerprint_of,
)
from heedful.records.document import DocumentText, PageText, Word

Line = tuple[float, float, str]
"""Where it begins, from the left and the top, and its text."""

BUYER = ("Halvorsen Instruments Ltd", "4 Mill Lane", "York YO1 7HT")
ITEMS = ("Hex bolts", "Copper pipe bent", "Sealing ring", "Paint red", "Screws", "Pump housing", "Filter")


def page(lines: Sequence[Line], height: float = 0.012) -> PageText:
    words = []
    for left, top, text in lines:
        x = left
        for word in text.split():
            words.append(Word(x, top, x + 0.009 * len(word), top + height, word))
            x += 0.009 * len(word) + 0.006
    return PageText(595, 842, tuple(words))


def document(*pages: Sequence[Line], tables: int = 1, coverage: float = 0.1) -> DocumentText:
    return DocumentText(tuple(page(lines) for lines in pages), tables, coverage)


def table(rng: random.Random, top: float, columns: Sequence[str]) -> list[Line]:
    lines = [(0.1 + 0.2 * n, top, column) for n, column in enumerate(columns)]
    for row in range(1, rng.randint(3, 12)):
        y = top + 0.02 * row
        lines += [(0.1, y, rng.choice(ITEMS)), (0.3, y, str(rng.randint(1, 99))), (0.5, y, f"{rng.random() * 99:.2f}")]
    return lines


def brightwater(seed: int, buyer: Sequence[str] = BUYER) -> DocumentText:
    rng = random.Random(seed)
    return document(
        [
            (0.6, 0.04, "Brightwater Pumps Ltd"),
            (0.6, 0.06, "Unit 9 Dock Road"),
            (0.6, 0.08, "Hull HU9 1AB"),
            *((0.1, 0.15 + 0.016 * n, text) for n, text in enumerate(buyer)),
            (0.6, 0.2, f"Invoice No: BW{rng.randint(10_000, 99_999)}"),
            (0.6, 0.22, f"Invoice date: {rng.randint(1, 28)}.0{rng.randint(1, 9)}.2024"),
            *table(rng, 0.35, ("Description", "Quantity", "Price", "Amount")),
            (0.1, 0.93, "Brightwater Pumps Ltd registered in England"),
            (0.1, 0.95, "VAT GB811223344 Tel. +44 1482 555010 accounts@brightwater.example"),
        ]
    )


def castellan(seed: int, buyer: Sequence[str] = BUYER) -> DocumentText:
    rng = random.Random(seed)
    return document(
        [
            (0.1, 0.05, "CASTELLAN TOOLS"),
            (0.1, 0.08, "Forge Street 77"),
            (0.1, 0.096, "Leeds LS2 8QR"),
            *((0.1, 0.15 + 0.016 * n, text) for n, text in enumerate(buyer)),
            (0.6, 0.15, f"Invoice No: {rng.randint(100, 999)}-24"),
            (0.6, 0.18, f"Invoice date: 2024-0{rng.randint(1, 9)}-11"),
            *table(rng, 0.3, ("Description", "Quantity", "Price", "Amount")),
            (0.3, 0.92, "Castellan Tools is a trading name of Oxley plc"),
            (0.3, 0.94, "www.castellan.example VAT GB700800900 IBAN GB29 NWBK 6016 1331 9268 19"),
        ]
    )


def merz(seed: int, buyer: Sequence[str] = BUYER) -> DocumentText:
    rng = random.Random(seed)
    return document(
        [
            (0.1, 0.12, "Merz Dichtungen GmbH, Am Kanal 3, 20457 Hamburg"),
            *((0.1, 0.15 + 0.016 * n, text) for n, text in enumerate(buyer)),
            (0.1, 0.3, f"Rechnung {rng.randint(1_000, 9_999)}"),
            (0.6, 0.3, f"Datum: 0{rng.randint(1, 9)}.02.2024"),
            *table(rng, 0.36, ("Artikel", "Menge", "Preis", "Betrag")),
            (0.1, 0.94, "Merz Dichtungen GmbH Geschäftsführerin Ida Merz"),
            (0.5, 0.94, "Hausbank Hamburg IBAN DE44 5001 0517 5407 3249 31"),
            (0.1, 0.96, "USt-IdNr. DE811907980 HRB 99887 www.merz-dichtungen.example"),
        ]
    )


def misread(text: DocumentText, seed: int) -> DocumentText:
    """As from a scan: shifted and scaled by up to 2%; characters mixed up, words lost, cut and merged."""
    rng = random.Random(seed)
    shift, scale = rng.uniform(-0.02, 0.02), rng.uniform(0.98, 1.02)
    mixed = {"O": "0", "0": "O", "l": "1", "1": "l", "I": "l", "S": "5", "B": "8"}
    pages = []
    for page in text.pages:
        words: list[Word] = []
        for word in page.words:
            if rng.random() < 0.03:
                continue
            x0, y0, x1, y1 = (place * scale + shift for place in word[:4])
            read = "".join(mixed.get(c, c) if rng.random() < 0.1 else c for c in word.text)
            if rng.random() < 0.03:
                read = read[1:] or read
            if words and rng.random() < 0.03 and 0 < x0 - words[-1].x1 < 0.01:
                last = words.pop()
                x0, read = last.x0, last.text + read
            words.append(Word(x0, y0, x1, y1, read))
        pages.append(PageText(page.width, page.height, tuple(words)))
    return DocumentText(tuple(pages), text.tables, text.coverage)


class Index:
    """The counters that a database keeps."""

    def __init__(self, **families: Sequence[DocumentText]) -> None:
        self.rows: dict[str, Counter[str]] = defaultdict(Counter)
        self.sizes: Counter[str] = Counter()
        for family, texts in families.items():
            for text in texts:
                self.add(features(text), family)

    def add(self, found: Features, family: str) -> None:
        self.sizes[family] += 1
        for token in found.tokens:
            self.rows[token][family] += 1

    def match(self, text: DocumentText) -> FamilyMatch:
        match = best_family(features(text), self.rows, self.sizes)
        assert match is not None
        return match


SENDERS: dict[str, Callable[..., DocumentText]] = {"brightwater": brightwater, "castellan": castellan, "merz": merz}


def all_known() -> Index:
    return Index(**{name: [sender(seed) for seed in range(3)] for name, sender in SENDERS.items()})


def test_the_fingerprint_is_the_documented_hash() -> None:
    metadata = {
        "page_count": 2,
        "page_dimensions": [[595, 842], [595, 842]],
        "table_count": 1,
        "text_coverage_ratio": 0.12345,
        "words": 400,
    }
    written = (
        '{"page_count": 2, "page_dimensions": [[595, 842], [595, 842]], "table_count": 1, "text_coverage_ratio": 0.12}'
    )

    assert fingerprint_of(metadata) == sha256(written.encode()).hexdigest()


def test_the_fingerprint_of_missing_metadata_has_a_ratio_of_zero() -> None:
    written = json.dumps(
        {"page_count": None, "page_dimensions": None, "table_count": None, "text_coverage_ratio": 0}, sort_keys=True
    )

    assert fingerprint_of({}) == sha256(written.encode()).hexdigest()


def test_the_fingerprint_of_a_document_is_that_of_its_metadata() -> None:
    text = DocumentText((PageText(595.2, 841.9, ()), PageText(842, 595, ())), 3, 0.456)
    metadata = {
        "page_count": 2,
        "page_dimensions": [(595, 842), (842, 595)],
        "table_count": 3,
        "text_coverage_ratio": 0.456,
    }

    assert fingerprint(text) == fingerprint_of(metadata)


@pytest.mark.parametrize("sender", SENDERS)
def test_a_second_document_of_a_sender_joins_the_first(sender: str) -> None:
    match = Index(first=[SENDERS[sender](1)]).match(SENDERS[sender](2))

    assert match.joins
    assert match.similarity > 2 * JOIN


@pytest.mark.parametrize(("known", "other"), [*permutations(SENDERS, 2)])
def test_another_sender_with_the_same_buyer_and_language_does_not_join(known: str, other: str) -> None:
    first, second = SENDERS[known], SENDERS[other]
    for seed in range(5):
        assert not Index(first=[first(seed)]).match(second(seed + 10)).joins
        assert not Index(first=[first(n) for n in range(5)]).match(second(seed + 10)).joins


@pytest.mark.parametrize("sender", SENDERS)
def test_what_recognition_mixes_up_does_not_matter(sender: str) -> None:
    index = all_known()

    found = [index.match(misread(SENDERS[sender](seed), seed)) for seed in range(20)]

    assert [match.family for match in found if match.joins] == [sender] * 20


@pytest.mark.parametrize("sender", SENDERS)
def test_a_document_for_another_buyer_joins_its_sender(sender: str) -> None:
    index = all_known()

    match = index.match(SENDERS[sender](9, ("Ravn & Sons Ltd", "Harbour View 2", "Dover CT16 1LA")))

    assert (match.family, match.joins) == (sender, True)


OUR_OWN = (*BUYER, "VAT GB123123123")


def letter(sender: str, street: str, town: str, title: str, label: str) -> DocumentText:
    domain = sender.split(maxsplit=1)[0].lower()
    return document(
        [
            *((0.6, 0.04 + 0.016 * n, text) for n, text in enumerate((sender, street, town))),
            *((0.1, 0.2 + 0.016 * n, text) for n, text in enumerate((label, *OUR_OWN))),
            (0.1, 0.33, title),
            (0.1, 0.95, f"{sender} office@{domain}.example"),
        ]
    )


@pytest.mark.parametrize(("title", "label"), [("Invoice", "Bill to"), ("Purchase order", "Supplier")])
def test_a_labelled_recipient_does_not_count_as_the_sender(title: str, label: str) -> None:
    index = Index(first=[letter("Orchard Paints", "Abbey Walk 5", "Bath BA1 2QX", f"{title} 17", label)])

    assert index.match(letter("Orchard Paints", "Abbey Walk 5", "Bath BA1 2QX", f"{title} 18", label)).joins
    assert (
        index.match(letter("Velloso Metals", "Quarry Road 31", "Ely CB7 4DL", f"{title} 19", label)).similarity
        < JOIN / 2
    )


def test_numbers_dates_and_items_are_no_features() -> None:
    one, other = features(brightwater(1)).tokens, features(brightwater(2)).tokens

    assert set(one) == set(other)


def test_more_pages_do_not_matter() -> None:
    long = brightwater(3)
    long = long._replace(pages=(*long.pages, *(page(table(random.Random(n), 0.1, ())) for n in range(4))))

    assert Index(first=[brightwater(1)]).match(long).joins


def test_documents_that_come_one_after_the_other_are_gathered_by_sender() -> None:
    for seed in range(5):
        rng = random.Random(seed)
        coming = [sender for sender in SENDERS for _ in range(6)]
        rng.shuffle(coming)
        index = Index()
        groups = set()
        for number, sender in enumerate(coming):
            found = features(misread(SENDERS[sender](number), number))
            match = best_family(found, index.rows, index.sizes)
            family = match.family if match and match.joins else str(number)
            index.add(found, family)
            groups.add((family, sender))

        assert len(groups) == len(SENDERS)


def test_a_feature_that_many_families_have_loses_its_weight() -> None:
    found = features(brightwater(1))
    crowd = {f"f{n}": 1 for n in range(20)}
    half = found.tokens[::2]

    rare = best_family(found, {token: {"one": 1} for token in half}, {"one": 1})
    common = best_family(found, dict.fromkeys(half, crowd), crowd)

    assert rare is not None
    assert common is not None
    assert rare.joins
    assert not common.joins


def test_without_anything_in_common_there_is_no_family() -> None:
    assert best_family(features(brightwater(1)), {}, {}) is None
    assert best_family(Features(()), {"i:1": {"one": 1}}, {"one": 1}) is None


def test_the_order_of_families_in_the_index_does_not_matter() -> None:
    index = all_known()
    found = features(merz(7))
    turned = {token: dict(reversed(row.items())) for token, row in reversed(index.rows.items())}

    assert best_family(found, turned, index.sizes) == best_family(found, index.rows, index.sizes)
