"""Sample orders and invoices: real PDF files, in which every value stands that they are said to have."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from heedful import testing
from heedful.errors import InvalidInput
from heedful.records.document import HEADER_FIELDS, LINE_FIELDS, Value
from heedful.testing import SUPPLIERS, SampleDocument, sample_document, sample_documents
from heedful.testing.documents import main
from heedful.testing.pdf import A4, FONTS, LETTER, Pdf, width_of

FRENCH_MONTHS = ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
                 "novembre", "décembre"]  # fmt: skip
SIGNS = {"EUR": ("EUR", "€"), "GBP": ("£",), "USD": ("$",)}
DOCUMENTS = [
    *sample_documents(7),
    *(sample_document("hartmann", number, shifted=True) for number in range(1, 8)),
]
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)


def pages_of(content: bytes) -> list[str]:
    opened = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_range() for page in opened]


def text_of(document: SampleDocument) -> str:
    """With one space between words, whatever stands between them on the page."""
    return " ".join(" ".join(pages_of(document.content)).split())


def printed_ways(name: str, value: Value) -> Iterator[str]:
    """How a value may be printed, in the countries of the samples."""
    if name == "currency":
        yield from SIGNS[str(value)]
    elif name.endswith("date"):
        day = date.fromisoformat(str(value))
        yield from (f"{day:{form}}" for form in ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y"))
        yield from (f"{day:%d-%m-%Y}", f"{day:%d-%m-%y}", f"{day.day} {FRENCH_MONTHS[day.month - 1]} {day.year}")
    elif isinstance(value, int | float):
        places = (0, 2) if value == int(value) else (1, 2)
        for number in (f"{value:,.{count}f}" for count in places):
            yield from (number, *(number.translate({44: group, 46: ","}) for group in (".", " ")))
    else:
        yield value


def holds(text: str, name: str, value: Value) -> bool:
    if name in {"iban", "vat_id"}:
        return str(value) in text.replace(" ", "")
    ways = "|".join(map(re.escape, printed_ways(name, value)))
    return re.search(rf"(?<!\w)(?:{ways})(?!\w)" if name != "currency" else ways, text) is not None


@every_document
def test_every_value_is_printed(document: SampleDocument) -> None:
    text = text_of(document)

    assert set(document.fields) <= set(HEADER_FIELDS)
    assert {"issue_date", "seller", "buyer", "order_number", "net_total"} <= set(document.fields)
    assert [name for name, value in document.fields.items() if not holds(text, name, value)] == []
    for line in document.lines:
        assert set(line) <= set(LINE_FIELDS)
        assert [name for name, value in line.items() if not holds(text, name, value)] == []


@every_document
def test_the_sums_are_right(document: SampleDocument) -> None:
    amounts = [float(line["amount"]) for line in document.lines]
    for line, amount in zip(document.lines, amounts, strict=True):
        assert float(line["qty"]) * float(line["price"]) == pytest.approx(amount, abs=0.0051)

    net = float(document.fields["net_total"])
    assert sum(amounts) == pytest.approx(net, abs=0.001)
    if "grand_total" in document.fields:
        tax, grand = float(document.fields["tax_total"]), float(document.fields["grand_total"])
        assert net + tax == pytest.approx(grand, abs=0.001)
        assert tax > 0


@every_document
def test_nothing_is_drawn_off_the_page_or_over_other_text(document: SampleDocument) -> None:
    for page in pypdfium2.PdfDocument(document.content):
        width, height = page.get_size()
        boxes = [item.get_bounds() for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT])]
        for left, bottom, right, top in boxes:
            assert 0 < left < right < width
            assert 0 < bottom < top < height
        for number, one in enumerate(boxes):
            assert not [other for other in boxes[:number] if _overlap(one, other)], one


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 0.5 and min(one[3], other[3]) - max(one[1], other[1]) > 0.5
    )  # fmt: skip


def test_ibans_have_their_check_digits() -> None:
    ibans = {str(document.fields["iban"]) for document in DOCUMENTS if "iban" in document.fields}

    assert len(ibans) == 4
    for iban in ibans:
        assert int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97 == 1


@pytest.mark.parametrize("supplier", SUPPLIERS)
def test_documents_of_a_supplier_differ_in_what_they_say_not_in_their_layout(supplier: str) -> None:
    documents = [sample_document(supplier, number) for number in range(1, 8)]
    numbers = {document.fields.get("invoice_number", document.fields["order_number"]) for document in documents}
    titles = {frozenset(document.lines[0]) for document in documents}

    assert len({document.content for document in documents}) == len(numbers) == 7
    assert len({str(document.lines) for document in documents}) == 7
    assert len(titles) == len({frozenset(document.fields) for document in documents}) == 1
    assert {document.kind for document in documents} < {"invoice", "order"}


def test_there_are_orders_and_invoices_of_one_to_three_pages_on_two_sizes_of_paper() -> None:
    opened = [pypdfium2.PdfDocument(document.content) for document in DOCUMENTS]

    assert {document.kind for document in DOCUMENTS} == {"invoice", "order"}
    assert {len(document) for document in opened} == {1, 2, 3}
    assert {page.get_size() for document in opened for page in document} == {A4, LETTER}


def test_three_documents_of_each_supplier_unless_told() -> None:
    documents = sample_documents()

    assert [document.name for document in documents[:4]] == [
        "hartmann-1.pdf", "hartmann-2.pdf", "hartmann-3.pdf", "whitcombe-1.pdf"
    ]  # fmt: skip
    assert len({document.name for document in documents}) == len(documents) == 3 * len(SUPPLIERS)


def test_the_same_number_is_the_same_document_also_in_another_process() -> None:
    code = (
        "import hashlib, sys; from heedful.testing import sample_documents\n"
        "sys.stdout.write(hashlib.sha256(b''.join(one.content for one in sample_documents(2))).hexdigest())"
    )
    ran = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]

    assert ran[0] == ran[1]
    assert sample_document("delorme", 4) == sample_document("delorme", 4)


def test_a_shifted_document_says_the_same_elsewhere() -> None:
    usual, shifted = sample_document("hartmann", 2), sample_document("hartmann", 2, shifted=True)

    assert (shifted.fields, shifted.lines) == (usual.fields, usual.lines)
    assert _tops(usual, "Vorgang")[0] > _tops(shifted, "Vorgang")[0] + 10
    assert "Zertifiziert" in text_of(shifted)
    assert "Zertifiziert" not in text_of(usual)


def _tops(document: SampleDocument, text: str) -> list[float]:
    page = pypdfium2.PdfDocument(document.content)[0].get_textpage()
    index, _ = page.search(text).get_next()
    return [page.get_charbox(index)[3]]


@pytest.mark.parametrize(("supplier", "number", "shifted"), [("nobody", 1, False), ("hartmann", -1, False),
                                                             ("delorme", 1, True)])  # fmt: skip
def test_what_there_is_not_is_refused(supplier: str, number: int, shifted: bool) -> None:
    with pytest.raises(InvalidInput):
        sample_document(supplier, number, shifted=shifted)


def test_all_samples_can_be_written_as_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "samples"

    main([str(folder), "--per-supplier", "2"])

    assert capsys.readouterr().out == f"Wrote 16 documents from 7 companies to {folder}.\n"
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(written) == 16
    assert written["veldkamp-2.pdf"] == sample_document("veldkamp", 2).content
    assert written["hartmann-1-shifted.pdf"] == sample_document("hartmann", 1, shifted=True).content


def test_the_module_runs_as_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "heedful.testing.documents", str(tmp_path), "--per-supplier", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Wrote 8 documents")


def test_the_public_names_of_testing() -> None:
    for name in testing.__all__:
        assert getattr(testing, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        testing.nonsense  # noqa: B018


# The writer itself


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_has_its_text_title_and_author(compress: bool) -> None:
    pdf = Pdf("Größe (neu)", "Søren & Zoë", compress=compress)
    pdf.page((300, 200)).text(20, 40, "Übergröße \\ 5 € (netto) – Ærø", font="Times-Bold", size=11)
    pdf.page(LETTER).texts(20, 40, ["one", "", "three"])

    opened = pypdfium2.PdfDocument(pdf.content())

    assert pages_of(pdf.content()) == ["Übergröße \\ 5 € (netto) – Ærø", "one\r\nthree"]
    assert [page.get_size() for page in opened] == [(300, 200), LETTER]
    assert opened.get_metadata_dict(skip_empty=True) == {"Title": "Größe (neu)", "Author": "Søren & Zoë"}


def test_the_table_of_offsets_leads_to_every_object() -> None:
    content = sample_document("hartmann", 3).content
    start = int(content.rsplit(b"startxref\n", 1)[1].split()[0])
    rows = content[start:].split(b"trailer")[0].splitlines()[2:]

    assert content[start:].startswith(b"xref\n")
    for number, row in enumerate(rows[1:], start=1):
        assert content[int(row.split()[0]) :].startswith(b"%d 0 obj" % number)


@pytest.mark.parametrize("font", FONTS)
def test_widths_are_those_of_the_fonts(font: str) -> None:
    letters = "".join(map(chr, range(33, 127))) + "ÄÖÜäöüßéèêàçîïôûœæøØÉÀñ£§–—•·“”„‘’‚°×…"
    pdf = Pdf()
    page = pdf.page((4000, 100))
    for number, letter in enumerate(letters):
        page.text(10 + 25 * number, 50, f"{letter}H", font=font, size=10)

    wide = [letter for letter, width in zip(letters, _measured(pdf), strict=True)
            if abs(width - width_of(letter, font, 10)) > 0.02]  # fmt: skip

    assert wide in ([], ["@"])  # pdfium's own bold @ is wider than the standard says


def _measured(pdf: Pdf) -> list[float]:
    """How far the H after each letter is from its start."""
    text = pypdfium2.PdfDocument(pdf.content())[0].get_textpage()
    starts = []
    for index in range(text.count_chars()):
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(text, index, x, y)
        if chr(pdfium.FPDFText_GetUnicode(text, index)) == "H":
            starts.append(x.value)
    count = (max(starts) - 10) // 25 + 1
    return [max(x for x in starts if x < 30 + 25 * number) - (10 + 25 * number) for number in range(int(count))]


def test_text_that_is_aligned_right_ends_where_it_should() -> None:
    pdf = Pdf()
    page = pdf.page((300, 100))
    page.text(250, 40, "1.234,56", align="right", size=12)
    page.text(150, 70, "HHHH", align="centre", size=12)

    numbers, centred = (item.get_bounds() for item in pypdfium2.PdfDocument(pdf.content())[0].get_objects())

    assert numbers[2] == pytest.approx(250, abs=1)
    assert (centred[0] + centred[2]) / 2 == pytest.approx(150, abs=1)


def test_areas_are_filled_and_lines_drawn() -> None:
    pdf = Pdf()
    page = pdf.page((100, 100))
    page.rectangle(10, 20, 30, 40, fill=0.5)
    page.line(0, 90, 100, 90, width=4, colour=(1.0, 0.0, 0.0))

    pixels = pypdfium2.PdfDocument(pdf.content())[0].render(rev_byteorder=True).to_numpy()

    assert pixels[40, 25].tolist()[:3] == pytest.approx([128] * 3, abs=2)
    assert pixels[90, 50].tolist()[:3] == [255, 0, 0]
    assert pixels[10, 25].tolist()[:3] == [255] * 3
