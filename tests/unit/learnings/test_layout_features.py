"""Features of any document: the same each time, not too many, and without its text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.learnings.documents.layout import best_family, features, fingerprint
from heedful.records.document import DocumentText, PageText, Word

MOST = 200
TELLING = """
GmbH Ltd. 株式会社 Bill to: Kunde: DE123456789 80333 München +49 www.example.com a@b.example Total: 12,50 2024-01-31
حساب חשבונית 請求書 Tel. HRB Purchase order
"""
PLACES = st.floats(-0.1, 1.1)
TEXTS = st.one_of(st.text(max_size=20), st.sampled_from(TELLING.split()))
WORDS = st.builds(Word, PLACES, PLACES, PLACES, PLACES, TEXTS)
SIZES = st.sampled_from([0.0, 1.0, 595.0, 842.0])
PAGES = st.builds(PageText, SIZES, SIZES, st.lists(WORDS, max_size=60).map(tuple))
DOCUMENTS = st.builds(DocumentText, st.lists(PAGES, max_size=5).map(tuple), st.integers(0, 9), st.floats(0, 1))


def one_page(*words: Word) -> DocumentText:
    return DocumentText((PageText(595, 842, words),), 0, 0.1)


def grid(texts: list[str], columns: int = 20) -> DocumentText:
    rows = len(texts) // columns + 1
    return one_page(
        *(
            Word(
                n % columns / columns,
                n // columns / rows,
                (n % columns + 0.8) / columns,
                (n // columns + 0.8) / rows,
                text,
            )
            for n, text in enumerate(texts)
        )
    )


@given(DOCUMENTS)
@settings(deadline=None)
def test_features_are_the_same_each_time_few_and_without_text(text: DocumentText) -> None:
    found = features(text)

    assert found == features(text)
    assert len(found.tokens) == len(set(found.tokens)) <= MOST
    assert all(re.fullmatch("[a-z]:[0-9a-f]{12}", token) for token in found.tokens)


@given(DOCUMENTS, DOCUMENTS)
@settings(deadline=None, max_examples=50)
def test_similarity_is_between_0_and_1(known: DocumentText, new: DocumentText) -> None:
    match = best_family(features(new), {token: {"one": 1} for token in features(known).tokens}, {"one": 1})

    assert match is None or 0 <= match.similarity <= 1


@pytest.mark.parametrize(
    "text",
    [
        DocumentText((), 0, 0.0),
        DocumentText((PageText(595, 842, ()),), 0, 0.0),
        DocumentText((PageText(0, 0, (Word(0, 0, 1, 1, "a"),)),), 0, 0.0),
        one_page(Word(0.1, 0.1, 0.2, 0.12, "Invoice")),
        one_page(Word(0.1, 0.1, 0.1, 0.1, "x" * 50_000)),
        one_page(Word(float("nan"), float("nan"), float("inf"), float("nan"), "Total:")),
        one_page(
            Word(0.1, 0.1, 0.2, 0.12, "\ud800"), Word(0.2, 0.1, 0.3, 0.12, "\x00"), Word(0.1, 0.2, 0.3, 0.22, " ")
        ),
        grid(["---"] * 100),
        grid(["80333 München"] * 5_000),
    ],
)
def test_odd_documents_have_features(text: DocumentText) -> None:
    assert len(features(text).tokens) <= MOST
    assert fingerprint(text)


@pytest.mark.parametrize(
    "words",
    [
        ["شركة", "النور", "للتجارة", "ذ.م.م", "فاتورة", "رقم:", "الرياض", "المبلغ"],
        ["חשבונית", "מס", "אורן", "כלים", "בע״מ", "לכבוד", "תאריך:", "סכום"],
        ["請求書", "山田工業株式会社", "御中", "東京都港区", "登録番号:", "T1234567890123", "合計", "電話"],
        ["ООО", "Ромашка", "Счёт", "ИНН", "7701234567", "Покупатель:", "Итого", "Москва"],
    ],
)
def test_a_document_in_any_script_is_found_again(words: list[str]) -> None:
    known, new = features(grid([*words, "1"], 3)), features(grid([*words, "2"], 3))

    match = best_family(new, {token: {"one": 1} for token in known.tokens}, {"one": 1})

    assert match is not None
    assert match.joins


def test_a_page_with_many_words_does_not_take_long() -> None:
    texts = [
        "Rechnung",
        "12,50",
        "Muster GmbH",
        "www.example.com",
        "DE123456789",
        "Kunde:",
        "Tel.",
        "80333 München",
        "und",
    ]
    text = grid([texts[n % len(texts)] + "x" * (n % 7) for n in range(20_000)])
    features(text)

    begun = time.process_time()
    found = features(text)

    assert time.process_time() - begun < 0.5  # an order of magnitude more than it needs
    assert 0 < len(found.tokens) <= MOST


def test_the_text_of_a_short_document_cannot_be_read_from_its_features() -> None:
    tokens = " ".join(
        features(one_page(Word(0.1, 0.01, 0.3, 0.03, "deadbeef"), Word(0.31, 0.01, 0.4, 0.03, "Ltd"))).tokens
    )

    assert tokens
    assert "deadbeef" not in tokens
