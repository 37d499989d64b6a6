"""PDF files are read in a process of its own: words, places and images, and a clear error for every bad file."""

from __future__ import annotations

import gc
import os
import signal
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from heedful.errors import (
    Closed,
    DamagedDocument,
    DocumentTooLarge,
    DocumentTooSlow,
    EncryptedDocument,
    InvalidInput,
    Misconfigured,
    MissingExtra,
    NotPdf,
    ScannedDocument,
    UnreadableDocument,
)
from heedful.providers.pdf import PdfLimits, PdfProcess
from heedful.records.document import DocumentText, Word
from tests.pdf_files import bomb, line, pdf, slow, stream

HELLO = pdf(line(72, 700, "Invoice No. 4711"))
WORKER = """
import os, signal, sys
from heedful.providers.pdf.frames import STARTED, Frame, receive, send
requests, answers = sys.stdin.buffer, sys.stdout.buffer
send(answers, STARTED)
request = receive(requests)
send(answers, STARTED)
"""
"""A worker that has received a request, to which its answer is added."""


@pytest.fixture(scope="module")
def reader() -> Iterator[PdfProcess]:
    with closing(PdfProcess()) as process:
        yield process


def texts(document: DocumentText) -> list[str]:
    return [" ".join(word.text for word in page.words) for page in document.pages]


def worker(code: str) -> PdfProcess:
    return PdfProcess(PdfLimits(seconds=20), command=[sys.executable, "-c", WORKER + code])


def size(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


# Words and places


def test_words_have_their_places_as_shares_of_the_page(reader: PdfProcess) -> None:
    document = reader.read(HELLO)

    assert document.dimensions == [(595, 842)]
    assert texts(document) == ["Invoice No. 4711"]
    first, second, third = document.pages[0].words
    assert first.x0 == pytest.approx(72 / 595, abs=0.001)
    assert first.y0 < (842 - 700) / 842 < first.y1
    assert 0.01 < first.y1 - first.y0 < 0.02
    assert first.x1 < second.x0 < second.x1 < third.x0
    assert (first.y0, first.y1) == (second.y0, second.y1) == (third.y0, third.y1)
    assert 0 < document.coverage < 0.01


def test_pages_come_in_their_order(reader: PdfProcess) -> None:
    two = pdf(line(72, 700, "Page one"), line(72, 700, "Page two"))

    assert texts(reader.read(two)) == ["Page one", "Page two"]


def test_words_are_in_reading_order_whatever_the_order_in_the_file(reader: PdfProcess) -> None:
    content = line(300, 500, "third") + line(72, 480, "fourth") + line(72, 700, "first") + line(72, 500, "second")

    assert texts(reader.read(pdf(content))) == ["first second third fourth"]


@pytest.mark.parametrize(
    ("turned", "matrix"),
    [(90, "0 1 -1 0 142 72"), (180, "-1 0 0 -1 523 142"), (270, "0 -1 1 0 453 770")],
)
def test_a_page_that_is_turned_is_read_as_it_is_seen(reader: PdfProcess, turned: int, matrix: str) -> None:
    content = f"BT /F1 12 Tf {matrix} Tm (Invoice No. 4711) Tj ET".encode()

    document = reader.read(pdf(content, page=f"/Rotate {turned}"))

    wide = turned != 180
    assert document.dimensions == [(842, 595) if wide else (595, 842)]
    assert texts(document) == ["Invoice No. 4711"]
    first = document.pages[0].words[0]
    assert first.x0 == pytest.approx(72 / (842 if wide else 595), abs=0.001)
    assert first.y0 < 142 / (595 if wide else 842) < first.y1


def test_what_stands_outside_of_the_page_is_left_out(reader: PdfProcess) -> None:
    content = line(72, 700, "seen") + line(10, 10, "hidden") + line(-500, 700, "far") + line(390, 650, "cut")

    document = reader.read(pdf(content, page="/CropBox[50 600 400 800]"))

    assert document.dimensions == [(350, 200)]
    assert texts(document) == ["seen cut"]
    assert document.pages[0].words[0].x0 == pytest.approx(22 / 350, abs=0.001)
    assert document.pages[0].words[1].x1 == 1.0


def test_hyphens_ligatures_and_accents_are_as_printed(reader: PdfProcess) -> None:
    to_unicode = stream(
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"5 beginbfchar <41> <FB01> <42> <200B> <43> <00650301> <44> <E001> <45> <D83DDE00> endbfchar endcmap end"
    )
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 4 0 R>>"
    content = line(72, 700, "Muster-") + line(72, 686, "haus") + b"BT /F2 12 Tf 72 600 Td (ABlDx C E) Tj ET"

    document = reader.read(pdf(content, resources=b"/Font<</F1 3 0 R/F2 5 0 R>>", more=[to_unicode, font]))

    assert texts(document) == ["Muster- haus filx é 😀"]


def test_letters_far_from_one_another_are_words_of_their_own(reader: PdfProcess) -> None:
    content = b"BT /F1 12 Tf 20 Tc 72 700 Td (AB) Tj ET BT /F1 12 Tf 3 Tc 72 600 Td (INVOICE) Tj ET"

    assert texts(reader.read(pdf(content))) == ["A B INVOICE"]


def test_text_that_runs_upwards_is_not_taken_apart(reader: PdfProcess) -> None:
    content = b"BT /F1 12 Tf 0 1 -1 0 30 300 Tm (Registered) Tj ET"

    (word,) = reader.read(pdf(content)).pages[0].words

    assert word.text == "Registered"
    assert word.y1 - word.y0 > 0.05 > word.x1 - word.x0


def test_what_was_filled_into_a_form_is_read(reader: PdfProcess) -> None:
    field = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(4711)/Rect[100 100 200 120]/F 4/AP<</N 5 0 R>>>>"
    look = stream(line(2, 4, "4711"), b"/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>")

    form = pdf(
        line(72, 700, "Order"), page="/Annots[4 0 R]", more=[field, look], catalog=b"/AcroForm<</Fields[4 0 R]>>"
    )

    assert texts(reader.read(form)) == ["Order 4711"]


def test_tables_are_counted(reader: PdfProcess) -> None:
    rows = [("Pos", "Article", "Amount"), ("1", "Pipe", "12.00"), ("2", "Joint", "3.50"), ("3", "Wire", "7.25")]
    content = b"".join(
        line(x, 600 - 20 * y, text) for y, row in enumerate(rows) for x, text in zip((72, 120, 400), row, strict=True)
    )

    assert reader.read(pdf(content)).tables == 1


def test_a_file_that_is_encrypted_without_a_password_is_read(reader: PdfProcess) -> None:
    assert texts(reader.read(pdf(line(72, 700, "Invoice"), user_password=""))) == ["Invoice"]


# Images


def test_an_image_is_a_png_of_the_width(reader: PdfProcess) -> None:
    png = reader.image(pdf(b"1 0 0 rg 0 421 595 421 re f"), 1, 100)

    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert size(png) == (100, 142)
    length = struct.unpack(">I", png[33:37])[0]
    pixels = zlib.decompress(png[41 : 41 + length])
    assert len(pixels) == 142 * 301
    assert pixels[1:4] == b"\xff\0\0"  # red above
    assert pixels[-3:] == b"\xff\xff\xff"  # and white below


def test_an_image_of_a_page_as_long_as_a_street_is_narrower(reader: PdfProcess) -> None:
    width, height = size(reader.image(pdf(line(1, 1, "x"), box=(0, 0, 10, 1_000_000)), 1, 2_000))

    assert width * height <= 16_000_000


@pytest.mark.parametrize(("page", "width"), [(0, 100), (2, 100), (1, 0), (1, 2_001)])
def test_an_image_that_cannot_be_is_refused(reader: PdfProcess, page: int, width: int) -> None:
    with pytest.raises(InvalidInput):
        reader.image(HELLO, page, width)


# Bad files


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        pytest.param(b"", NotPdf, "not a PDF", id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + HELLO[9:], NotPdf, "not a PDF", id="png"),
        pytest.param(HELLO[: len(HELLO) // 2], DamagedDocument, "ends too early", id="truncated"),
        pytest.param(b"%PDF-1.7\nrubbish\n%%EOF", DamagedDocument, "no list of its pages", id="rubbish"),
        pytest.param(HELLO.replace(b"/Kids[4 0 R]", b"/Kids[9 0 R]"), DamagedDocument, "page 1", id="no page"),
        pytest.param(pdf(line(9, 9, "x"), user_password="secret"), EncryptedDocument, "password", id="encrypted"),
        pytest.param(pdf(b""), ScannedDocument, "no text", id="blank"),
        pytest.param(
            pdf(b"q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"), ScannedDocument, "no text", id="scanned"
        ),
        pytest.param(pdf(*[line(72, 700, "x")] * 2_000), DocumentTooLarge, "2,000 pages; 200", id="2,000 pages"),
        pytest.param(HELLO + bytes(33 * 1024 * 1024), DocumentTooLarge, "33,554,432", id="33 MB"),
        pytest.param(pdf(b"[" * 1_000_000), ScannedDocument, "no text", id="nested"),
        pytest.param(pdf(line(9, 9, "x"), box=(0, 0, 1e6, 1e6)), ScannedDocument, "no text", id="huge page"),
    ],
)
def test_a_bad_file_has_an_error_of_its_own(
    reader: PdfProcess, content: bytes, error: type[UnreadableDocument], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        reader.read(content)

    assert caught.value.hint
    assert texts(reader.read(HELLO)) == ["Invoice No. 4711"]


def test_the_error_for_a_scanned_document_says_how_to_pass_its_words(reader: PdfProcess) -> None:
    with pytest.raises(ScannedDocument) as caught:
        reader.read(pdf(b""))

    assert "pages=" in caught.value.hint


def test_a_document_may_have_only_so_many_words() -> None:
    with closing(PdfProcess(PdfLimits(words=3))) as reader:
        assert texts(reader.read(HELLO)) == ["Invoice No. 4711"]
        with pytest.raises(DocumentTooLarge, match="words"):
            reader.read(pdf(line(72, 700, "Invoice No."), line(72, 700, "4711 of 2026")))
        with pytest.raises(DocumentTooLarge, match="words"):
            reader.read(pdf(line(72, 700, "x" * 100)))


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the memory of a process.")
def test_a_file_that_unpacks_to_more_than_the_memory_ends_only_the_process() -> None:
    with closing(PdfProcess(PdfLimits(memory=64 * 1024 * 1024))) as reader:
        with pytest.raises(DocumentTooSlow, match="64 MB of memory"):
            reader.read(bomb(megabytes=100))

        assert texts(reader.read(HELLO)) == ["Invoice No. 4711"]


def test_a_file_that_takes_too_long_is_given_up() -> None:
    with closing(PdfProcess(PdfLimits(seconds=0.3))) as reader:
        with pytest.raises(DocumentTooSlow, match=r"0\.3 seconds"):
            reader.read(slow())

        assert texts(reader.read(HELLO)) == ["Invoice No. 4711"]


# Processes


def test_a_process_that_was_killed_is_replaced() -> None:
    with closing(PdfProcess()) as reader:
        reader.read(HELLO)
        (idle,) = reader._idle
        idle._process.kill()

        assert texts(reader.read(HELLO)) == ["Invoice No. 4711"]
        assert reader._idle != [idle]


def test_a_process_is_kept_for_the_next_document() -> None:
    with closing(PdfProcess()) as reader:
        reader.read(HELLO)
        kept = list(reader._idle)
        with pytest.raises(EncryptedDocument):
            reader.read(pdf(line(9, 9, "x"), user_password="secret"))
        reader.image(HELLO, 1, 10)

        assert reader._idle == kept


def test_threads_get_the_words_of_their_own_document_from_at_most_two_processes() -> None:
    files = [pdf(line(72, 700, f"Invoice {number}")) for number in range(40)]
    with closing(PdfProcess()) as reader, ThreadPoolExecutor(8) as pool:
        read = list(pool.map(reader.read, files))

        assert [texts(document) for document in read] == [[f"Invoice {number}"] for number in range(40)]
        assert len(reader._idle) <= 2


def test_nothing_of_this_process_is_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    code = """
import orjson
descriptors = sorted(map(int, os.listdir("/proc/self/fd"))) if os.path.exists("/proc/self/fd") else []
send(answers, Frame({}, orjson.dumps([dict(os.environ), [number for number in descriptors if exists(number)]])))
"""
    exists = """
def exists(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False
"""
    with (tmp_path / "open").open("wb") as file, closing(worker(exists + code)) as reader:
        os.set_inheritable(file.fileno(), True)
        environment, descriptors = orjson.loads(reader.image(HELLO, 1, 10))

    assert set(environment) <= {"PYTHONPATH", "SYSTEMROOT", "LC_CTYPE"}
    assert "secret" not in str(environment)
    assert set(descriptors) <= {0, 1, 2}


def test_a_process_that_does_not_answer_is_killed() -> None:
    command = [sys.executable, "-c", WORKER + "requests.read()"]
    with closing(PdfProcess(PdfLimits(seconds=0.2), command=command)) as reader:
        with pytest.raises(DocumentTooSlow, match=r"0\.2 seconds"):
            reader.read(HELLO)

        assert not reader._idle


def test_a_process_that_does_not_take_its_request_is_killed() -> None:
    code = WORKER.replace("request = receive(requests)", "signal.pause()")
    with (
        closing(PdfProcess(PdfLimits(seconds=0.2), command=[sys.executable, "-c", code])) as reader,
        pytest.raises(DocumentTooSlow),
    ):
        reader.read(pdf(line(72, 700, "x"), more=[b"%" + b"x" * 1_000_000]))


@pytest.mark.parametrize(
    ("name", "error"), [("SIGSEGV", DamagedDocument), ("SIGABRT", DocumentTooSlow), ("SIGKILL", DocumentTooSlow)]
)
def test_a_crash_is_the_fault_of_the_document(name: str, error: type[UnreadableDocument]) -> None:
    with closing(worker(f"os.kill(os.getpid(), signal.{name})")) as reader, pytest.raises(error):
        reader.read(HELLO)


@pytest.mark.parametrize(
    "answer",
    [
        "send(answers, Frame({}))",
        "send(answers, Frame({'pages': [[9, 9, [[0.1], [0.1], [0.2], ['0'], ['x']]]], 'tables': 0, 'coverage': 0}))",
        "send(answers, Frame({'pages': 7, 'tables': 0, 'coverage': 0}))",
        "send(answers, Frame({'error': 'store_damaged', 'message': 'x', 'hint': ''}))",
        "answers.write(b'\\xff' * 8); answers.flush()",
        "answers.write(b'\\0\\0\\0\\x02\\0\\0\\0\\0[]'); answers.flush()",
        "sys.exit()",
    ],
)
def test_a_process_under_the_control_of_a_file_cannot_deceive(answer: str) -> None:
    with closing(worker(answer)) as reader, pytest.raises(DamagedDocument):
        reader.read(HELLO)


def test_a_process_that_does_not_start_is_a_mistake_of_the_installation() -> None:
    with (
        closing(PdfProcess(command=[sys.executable, "-c", "raise SystemExit(1)"])) as reader,
        pytest.raises(Misconfigured, match="does not start"),
    ):
        reader.read(HELLO)


def test_the_worker_ends_with_its_input() -> None:
    command = [sys.executable, "-m", "heedful.providers.pdf.worker", "1000000000"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin
        process.stdin.close()

        assert process.wait(timeout=60) == 0


def test_the_interpreter_exits_without_a_warning_though_nothing_was_closed() -> None:
    code = (
        "import sys; from heedful.providers.pdf import PdfProcess; reader = PdfProcess();"
        "print(len(reader.read(sys.stdin.buffer.read()).pages), reader._idle[0]._process.pid)"
    )

    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", code], input=HELLO, capture_output=True, check=False
    )

    assert done.stderr == b""
    pages, process = map(int, done.stdout.split())
    assert pages == 1
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_reader_that_is_forgotten_ends_its_processes() -> None:
    reader = PdfProcess()
    reader.read(HELLO)
    process = reader._idle[0]._process
    del reader
    gc.collect()

    assert process.returncode == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="There are no forks.")
def test_a_fork_starts_processes_of_its_own(reader: PdfProcess) -> None:
    code = (
        "import os, sys; from heedful.providers.pdf import PdfProcess; reader = PdfProcess();"
        "content = sys.stdin.buffer.read(); reader.read(content); child = os.fork(); before = reader._idle[0]._process;"
        "reader.read(content); mine = reader._idle[0]._process; print(mine.pid == before.pid, flush=True);"
        "os.waitpid(child, 0) if child else None; reader.read(content); print(mine.poll(), flush=True)"
    )

    done = subprocess.run([sys.executable, "-W", "error", "-c", code], input=HELLO, capture_output=True, check=False)

    assert done.stderr == b""
    assert sorted(done.stdout.split()) == [b"False", b"None", b"None", b"True"]


def test_a_closed_reader_says_so() -> None:
    reader = PdfProcess()
    reader.read(HELLO)
    process = reader._idle[0]._process
    reader.close()
    reader.close()

    assert process.returncode is not None
    with pytest.raises(Closed):
        reader.read(HELLO)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)

    with pytest.raises(MissingExtra, match=r"pip install 'heedful\[documents\]'"):
        PdfProcess().read(HELLO)


def test_words_are_records(reader: PdfProcess) -> None:
    assert all(type(word) is Word for word in reader.read(HELLO).pages[0].words)
