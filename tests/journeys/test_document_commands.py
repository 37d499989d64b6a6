"""An operator at a terminal who takes in orders and invoices, and corrects what was extracted: documents, mappings,
layouts."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful.edges.cli import main
from heedful.edges.cli.drafts_view import show_draft
from heedful.edges.cli.plots import bar, columns, meter
from heedful.edges.cli.terminal import Terminal
from heedful.edges.cli.typed_values import read
from heedful.errors import InvalidInput
from heedful.records.document import DocumentDraft, DraftLine, DraftStatus, Found, MappingMatch
from heedful.testing import FrozenClock, sample_document
from heedful.text.typed_values import Notation

Run = Callable[..., Result]


@pytest.fixture
def database(_migrated_file: Path, tmp_path: Path) -> str:
    """The command line is a skin: what differs between databases is tested below it."""
    return str(shutil.copy(_migrated_file, tmp_path / "heedful.db"))


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("LOGNAME", "dana")
    monkeypatch.chdir(tmp_path)
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def desk(run: Run) -> Run:
    """Two invoices of one company were taken in: hartmann-1.pdf and hartmann-2.pdf."""
    _write("orders", "hartmann", 1, 2)
    _done(run("documents", "add", "orders", "--customer", "C-9"))
    return run


def _write(folder: str, supplier: str, *numbers: int) -> None:
    Path(folder).mkdir(exist_ok=True)
    for number in numbers:
        sample = sample_document(supplier, number)
        Path(folder, sample.name).write_bytes(sample.content)


def _done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _json(result: Result) -> Any:
    return json.loads(_done(result))


def _lines(result: Result) -> list[Any]:
    return [json.loads(line) for line in _done(result).splitlines()]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _document(run: Run, name: str) -> Any:
    return next(one for one in _lines(run("documents", "list", "--json")) if one["name"] == name)


def _extracted(run: Run, name: str = "hartmann-1.pdf") -> Any:
    return _json(run("documents", "extract", _document(run, name)["id"], "--json"))


def _acts(database: str) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    with heedful.open(database) as loop:
        kinds = {"EXTRACTION_FIELD_CORRECTED", "EXTRACTION_LINE_CORRECTED", "CUSTOMER_SELECTED", "DRAFT_CONFIRMED"}
        return [(event.kind, event.before, event.after) for event in loop.events() if event.kind in kinds]


# Taking documents in


def test_before_any_document_one_is_told_how_to_begin(run: Run) -> None:
    for words in (["documents", "list"], ["layouts"], ["documents", "analytics"]):
        assert "heedful documents add" in _done(run(*words))
    assert "heedful mappings confirm" in _done(run("mappings", "list"))
    assert _done(run("documents", "list", "--json")) == _done(run("layouts", "--json")) == ""
    missing = run("documents", "show", "nowhere-to-be-found")
    assert (missing.exit_code, "heedful documents list" in missing.output) == (4, True)


def test_a_folder_is_taken_in_and_layouts_are_recognised(run: Run) -> None:
    _write("orders", "hartmann", 1, 2)
    _write("orders/later", "whitcombe", 1)
    Path("orders/later", "readme.txt").write_text("not a document")

    shown = _done(run("documents", "add", "orders", "--customer", "C-9", "--by", "lee"))
    assert re.search(r"hartmann-1\.pdf +1  [0-9a-f]{8}  first +nothing before", shown)
    assert re.search(r"hartmann-2\.pdf +1  [0-9a-f]{8}  \S.* hartmann-1, \d+%", shown)
    assert re.search(r"whitcombe-1\.pdf +1  [0-9a-f]{8}  .*nothing before", shown)
    assert "readme" not in shown

    again = _done(run("documents", "add", "orders/hartmann-1.pdf"))
    assert re.search(r"hartmann-1\.pdf +1  [0-9a-f]{8}  2 times +hartmann-1, \d+%", again)
    one = _document(run, "whitcombe-1.pdf")
    assert (one["customer"], one["page_count"]) == ("C-9", 1)
    listed = _done(run("documents", "list", "-n", "2"))
    assert "There are more" in listed
    of_layout = _lines(run("documents", "list", "--layout", one["layout"][:8], "--json"))
    assert {each["layout"] for each in of_layout} == {one["layout"]}


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_taken(run: Run) -> None:
    _write("orders", "hartmann", 1)
    Path("orders", "broken.pdf").write_text("not a PDF")

    result = run("documents", "add", "orders", "gone.pdf")
    assert result.exit_code == 1
    assert "hartmann-1.pdf" in result.stdout
    assert "orders/broken.pdf: This is not a PDF file" in result.stderr
    assert "gone.pdf cannot be read: no such file" in result.stderr
    assert "1 file taken, 2 not" in result.stderr

    told = run("documents", "add", "orders", "--json")
    assert told.exit_code == 1
    taken, refused = map(json.loads, told.stdout.splitlines())
    assert (taken["name"], refused["error"], refused["file"]) == ("hartmann-1.pdf", "not_pdf", "orders/broken.pdf")

    Path("empty").mkdir()
    empty = run("documents", "add", "empty")
    assert (empty.exit_code, "no PDF files in empty" in empty.stderr) == (2, True)


def test_documents_can_be_extracted_as_they_are_taken_in(run: Run) -> None:
    _write("orders", "hartmann", 1)
    shown = _done(run("documents", "add", "orders", "--extract"))
    assert re.search(r"hartmann-1\.pdf  draft [0-9a-f]{12}  open  by heedful, sure 0\.\d\d", shown)
    (draft,) = _lines(run("documents", "add", "orders", "--extract", "--json"))
    assert draft["status"] == "open"
    assert "open" in _done(run("documents", "list"))


def test_a_document_is_shown_with_its_layout_its_text_and_its_drafts(desk: Run) -> None:
    one = _document(desk, "hartmann-1.pdf")
    shown = _done(desk("documents", "show", one["id"][24:]))
    for words in ("hartmann-1.pdf", "595 x 842 points", one["layout"][:8], "C-9", "heedful documents extract"):
        assert words in shown
    first = one["text"].splitlines()[0]
    assert first in shown
    assert "more lines" in shown

    draft = _extracted(desk)
    assert draft["id"][24:] in _done(desk("documents", "show", one["id"]))
    confused = desk("documents", "show", draft["id"])
    assert (confused.exit_code, f"heedful documents draft {draft['id']}" in confused.stderr) == (4, True)
    assert _json(desk("documents", "show", one["id"], "--json"))["drafts"] == [draft["id"]]


def test_a_document_stands_for_its_newest_draft(desk: Run) -> None:
    document = _document(desk, "hartmann-1.pdf")
    early = desk("documents", "draft", document["id"])
    assert (early.exit_code, "was not extracted yet" in early.stderr) == (4, True)

    first, second = _extracted(desk), _extracted(desk)
    assert _json(desk("documents", "draft", document["id"][24:], "--json"))["id"] == second["id"]
    assert _json(desk("documents", "draft", first["id"][24:], "--json"))["id"] == first["id"]
    shared = document["id"][:8]
    ambiguous = desk("documents", "draft", shared)
    assert (ambiguous.exit_code, "ambiguous" in ambiguous.stderr) == (2, True)
    assert "draft of hartmann-1.pdf" in ambiguous.stderr


# Correcting


def test_what_was_corrected_is_shown_with_before_and_after(desk: Run, database: str) -> None:
    draft = _extracted(desk)
    number = draft["fields"]["invoice_number"]["value"]

    shown = _done(desk("documents", "correct", draft["id"], "invoice_number=RE-17", "vat_id=-", "--customer", "C-7"))
    assert "recorded 3 corrections" in shown
    assert "customer  C-9 → C-7" in shown
    assert re.search(rf"invoice_number +{number} → RE-17 +█████ 1\.00  ✎ corrected", shown)
    assert re.search(r"vat_id +\S.* → \(none\)", shown)
    assert "the next document of this layout" in shown
    assert "heedful documents confirm" in shown

    corrected = _json(desk("documents", "draft", draft["id"], "--json"))
    assert (corrected["customer"], corrected["fields"]["vat_id"]["value"]) == ("C-7", None)
    assert _acts(database)[0] == (
        "CUSTOMER_SELECTED",
        {"candidates": ["C-9"], "customer_id": "C-9"},
        {"customer_id": "C-7"},
    )
    assert _acts(database)[1] == (
        "EXTRACTION_FIELD_CORRECTED",
        {"field": "invoice_number", "invoice_number": number},
        {"field": "invoice_number", "invoice_number": "RE-17"},
    )
    assert "says so already" in _done(desk("documents", "correct", draft["id"], "invoice_number=RE-17"))
    assert len(_acts(database)) == 3


def test_a_correction_tells_what_the_next_document_will_do_and_it_does(desk: Run) -> None:
    printed = [sample_document("hartmann", number).fields["order_number"] for number in (1, 2)]
    draft = _extracted(desk)
    shown = _done(desk("documents", "correct", draft["id"], f"order_number={printed[0]}", "wish=blue"))
    assert "✓ order_number is found" in shown
    assert re.search("· wish (has to be corrected again|will be blue again)", shown)

    after = _extracted(desk, "hartmann-2.pdf")
    assert after["fields"]["order_number"]["value"] == printed[1]


def test_lines_are_corrected_added_and_removed(desk: Run, database: str) -> None:
    draft = _extracted(desk)["id"]
    added = _done(
        desk(
            *("documents", "correct", draft, "note=urgent", "--add-line", "sku=A-7", "description=Hex bolt", "qty=3"),
            *("--add-line=sku=B-9", "price=4,50"),
        )
    )
    first, second = (line["number"] for line in _json(desk("documents", "draft", draft, "--json"))["lines"][-2:])
    assert re.search(rf"\+{first} +A-7✎ +Hex bolt✎ +3✎", added)
    assert re.search(rf"\+{second} +B-9✎ .*4\.50✎", added)

    changed = _done(desk("documents", "correct", draft, "--line", first, "qty=12", "uom=box", "--remove-line", second))
    assert re.search(rf"{first} +A-7✎ +Hex bolt✎ +3 → 12 +\(none\) → box", changed)
    assert re.search(rf"-{second} +B-9 ", changed)
    assert "lines" in changed.partition("the next document of this layout")[2]

    acts = [(before, after) for kind, before, after in _acts(database) if kind == "EXTRACTION_LINE_CORRECTED"]
    assert acts == [
        ({}, {"description": "Hex bolt", "qty": 3, "sku": "A-7"}),
        ({}, {"price": 4.5, "sku": "B-9"}),
        ({"qty": 3, "uom": None}, {"qty": 12, "uom": "box"}),
        ({"price": 4.5, "sku": "B-9"}, {}),
    ]


def test_what_cannot_be_understood_records_nothing(desk: Run, database: str) -> None:
    draft = _extracted(desk)["id"]
    for words, code, said in (
        (list[str](), 2, "Nothing to correct was given"),
        (["RE-17"], 2, "'RE-17' is not NAME=VALUE"),
        (["seller=A", "seller=B"], 2, "seller is given twice"),
        (["grand_total=many"], 2, "grand_total is a number"),
        (["due_date=soon"], 2, "due_date is a date"),
        (["qty=3"], 2, "--line 2 qty=3"),
        (["--line", "2"], 2, "needs the number of a line and its values"),
        (["--line", "qty=3"], 2, "needs the number of a line and its values"),
        (["--line", "999", "qty=3"], 4, "has no line 999"),
        (["--remove-line", "999"], 4, "has no line 999"),
        (["--add-line", "sku=A", "seller=B"], 2, "Write seller=B before --line"),
        (["--lines", "2"], 2, "--line"),
    ):
        given = ["buyer=Somebody", *words] if words else []
        result = desk("documents", "correct", draft, *given)
        assert (result.exit_code, said in result.stderr) == (code, True), result.output
    assert _acts(database) == []


def test_a_line_is_not_given_twice(desk: Run) -> None:
    draft = _extracted(desk)["id"]
    _done(desk("documents", "correct", draft, "--add-line", "sku=A-7"))
    number = _json(desk("documents", "draft", draft, "--json"))["lines"][-1]["number"]
    result = desk("documents", "correct", draft, "--line", number, "qty=1", "--remove-line", number)
    assert (result.exit_code, f"Line {number} is given twice" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "text", "known", "value"),
    [
        ("qty", "12", None, 12),
        ("qty", "-2", None, -2),
        ("price", "15,57", None, 15.57),
        ("grand_total", "1.194,05", None, 1194.05),
        ("grand_total", "-1,194.05", None, -1194.05),
        ("invoice_number", "4711", None, "4711"),
        ("invoice_number", "", "RE-1", None),
        ("sku", "-", "A", None),
        ("due_date", "2025-04-14", None, "2025-04-14"),
        ("due_date", "14.4.2025", None, "2025-04-14"),
        ("discount", "3", None, 3),
        ("discount", "2.50", 3, 2.5),
        ("gate", "007", None, "007"),
        ("gate", "7", "12a", "7"),
    ],
)
def test_typed_values_have_the_type_of_their_field(name: str, text: str, known: Any, value: object) -> None:
    found = read(Notation(), name, text, known)
    assert (found, type(found)) == (value, type(value))


def test_a_number_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="discount is a number"):
        read(Notation(), "discount", "a lot", 3)


def test_a_draft_is_confirmed(desk: Run) -> None:
    draft = _extracted(desk)
    assert "confirmed: hartmann-1.pdf" in _done(desk("documents", "confirm", draft["document"], "--by", "lee"))
    shown = _done(desk("documents", "draft", draft["id"]))
    assert re.search(r"draft [0-9a-f]{12}  confirmed", shown)
    assert "heedful documents correct" not in shown


def test_a_deleted_document_cannot_be_corrected_and_an_erased_one_is_gone(desk: Run) -> None:
    draft = _extracted(desk)
    assert "deleted: hartmann-1.pdf" in _done(desk("documents", "delete", draft["document"]))
    assert desk("documents", "correct", draft["id"], "seller=A").exit_code == 4
    assert "deleted" in _done(desk("documents", "list"))

    asked = desk("documents", "erase", draft["document"])
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    assert "with 1 draft and all corrections" in _done(desk("documents", "erase", draft["document"], "--yes"))
    assert desk("documents", "show", draft["document"]).exit_code == 4
    assert [one["name"] for one in _lines(desk("documents", "list", "--json"))] == ["hartmann-2.pdf"]


# How a draft looks


def _found(value: Any, source: str = "label", confidence: float = 0.9, how: str = "") -> Found:
    return Found(value, confidence, page=1, source=source, how=how)


def _draft(**changes: Any) -> DocumentDraft:
    mapped = {
        "sku": MappingMatch("A-1", "INT-1", "exact_mapping", 1.0, "m-1"),
        "uom": MappingMatch("pcs", "Stk", "exact_mapping", 1.0, "m-3", contradicted=True),
    }
    similar = MappingMatch("B 2", "INT-2", "similar_key", 0.4, "m-2")
    disputed = tuple(MappingMatch("C-3", value, "disputed", 0.5, value) for value in ("INT-3", "INT-4"))
    lines = (
        DraftLine(1, {"sku": _found("A-1"), "qty": _found(3, "learned"), "description": _found("Hex bolt M8")}, mapped),
        DraftLine(2, {"sku": _found("B 2", confidence=0.4), "amount": _found(4)}, {}, (similar,)),
        DraftLine(3, {"sku": _found("C-3")}, {}, disputed),
    )
    fields = {"grand_total": _found(458.5), "order_number": _found("4711", "learned", 0.7, 'right of "Vorgang"')}
    given = {
        "id": "draft-0001",
        "document": "order-0001",
        "at": datetime(2026, 1, 5, tzinfo=UTC),
        "status": DraftStatus.OPEN,
        "method": "local",
        "confidence": 0.8,
        "layout": "9f86d081",
        "family": "order-0001",
        "customer": None,
        "candidates": (),
        "fields": fields,
        "lines": lines,
        "corrections": (),
    }
    return DocumentDraft(**{**given, **changes})


def _shown(
    draft: DocumentDraft, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    show_draft(Terminal(), draft, "order.pdf")
    return capsys.readouterr().out


def test_a_draft_shows_what_was_learned_and_how_sure_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = _shown(_draft(), capsys, monkeypatch, 100)
    assert re.search(r'order_number +4711 +████░ 0\.70  ✦ learned, right of "Vorgang"', shown)
    assert re.search(r"grand_total +458\.50 +████░ 0\.90  by its label", shown)
    assert "✦ learned from corrections" in shown
    assert re.search(r"1 +A-1 +Hex bolt M8 +3✦ +INT-1, uom Stk! ", shown)
    assert "people disagree whether C-3 is INT-3 or INT-4" in shown
    assert "people disagree about pcs; Stk has more support" in shown
    assert re.search(r"2 +B 2 .*4\.00 +INT-2\? +0\.40", shown)
    assert "heedful mappings confirm 'B 2' INT-2" in shown
    assert "not found: invoice_number, issue_date" in shown
    assert "customer  not known" in shown


def test_a_narrow_terminal_gets_the_lines_below_one_another(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = _shown(_draft(), capsys, monkeypatch, 46)
    assert " line  sku" not in shown
    assert re.search(r"^line 1  sku A-1", shown, re.M)
    assert "qty 3✦" in _flat(shown)


def test_control_characters_of_a_document_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = _draft(fields={"seller": _found("\x1b]0;gone\x07")}, lines=(DraftLine(1, {"sku": _found("\x1b[2J")}),))
    assert "\x1b" not in _shown(evil, capsys, monkeypatch, 100)


# Mappings


def test_a_mapping_is_confirmed_applied_and_listed(desk: Run) -> None:
    draft = _extracted(desk)["id"]
    _done(desk("documents", "correct", draft, "--add-line", "sku=ABC-123", "qty=1"))
    assert "confirmed 1×: ABC-123 is INT-999 for C-9" in _done(
        desk("mappings", "confirm", "ABC-123", "INT-999", "--customer", "C-9")
    )
    assert "confirmed 2×" in _done(desk("mappings", "confirm", "ABC-123", "INT-999", "--customer", "C-9"))
    _done(desk("mappings", "confirm", "pcs", "Stk", "--type", "unit"))
    assert re.search(r"ABC-123✎ .*INT-999 ", _done(desk("documents", "draft", draft)))

    listed = _done(desk("mappings", "list"))
    assert re.search(r"C-9 +sku +ABC-123 +INT-999 +2× +never +just now", listed)
    assert re.search(r"all +unit +pcs +Stk +1×", listed)
    (unit,) = _lines(desk("mappings", "list", "--type", "unit", "--json"))
    assert (unit["key"], unit["value"], unit["customer"]) == ("pcs", "Stk", None)
    assert "No mappings match" in _done(desk("mappings", "list", "--customer", "C-1"))
    assert "There are more" in _done(desk("mappings", "list", "-n", "1"))


def test_people_who_disagree_about_a_mapping_are_shown_side_by_side(run: Run) -> None:
    key = ("ABC-123", "--customer", "C-9")
    _done(run("mappings", "confirm", key[0], "INT-999", *key[1:], "--by", "dana"))
    shown = _done(run("mappings", "confirm", key[0], "INT-998", *key[1:], "--by", "lee"))
    assert "people disagree about ABC-123" in shown
    assert "INT-999 confirmed 1×" in _flat(shown)
    assert "Neither is applied until somebody decides" in shown
    proposal = re.search(r"heedful proposals show (\S+)", shown)
    assert proposal is not None
    assert _json(run("proposals", "show", proposal[1], "--json"))["proposal"]["act"] == "replace"

    stronger = _done(run("mappings", "confirm", key[0], "INT-998", *key[1:], "--by", "kim"))
    assert "INT-998 confirmed 2× applied until then" in _flat(stronger)
    listed = _done(run("mappings", "list"))
    assert listed.count("people disagree") == 2
    assert "heedful proposals list" in listed

    weaker = next(one for one in _lines(run("mappings", "list", "--json")) if one["value"] == "INT-999")
    told = _done(run("mappings", "show", weaker["id"][24:]))
    assert re.search(r"contradicts +ABC-123 → INT-998 +confirmed 2×", told)
    assert "contradicted by INT-998" in told

    _done(run("proposals", "approve", proposal[1], "--by", "zoe"))
    assert [one["value"] for one in _lines(run("mappings", "list", "--json"))] == ["INT-998"]
    decided = _done(run("mappings", "show", weaker["id"]))
    assert re.search(r"state +replaced by [0-9a-f]{12}", decided)
    assert "people disagree" not in decided


def test_a_rejected_mapping_is_out_unless_several_people_confirmed_it(run: Run) -> None:
    reject = ("mappings", "reject", "ABC-123")
    assert "rejected: ABC-123 is INT-1 for C-9" in _done(run(*reject, "INT-1", "--customer", "C-9"))
    (gone,) = _lines(run("mappings", "list", "--rejected", "--json"))
    assert (gone["value"], gone["state"], gone["support_count"]) == ("INT-1", "REJECTED", 0)
    assert _done(run("mappings", "list", "--json")) == ""
    assert "rejected" in _done(run("mappings", "list", "--rejected"))

    for who in ("dana", "lee"):
        _done(run("mappings", "confirm", "ABC-123", "INT-2", "--customer", "C-9", "--by", who))
    kept = _done(run(*reject, "INT-2", "--customer", "C-9", "--by", "kim"))
    assert "stays until it is decided: ABC-123 is INT-2" in kept
    assert "heedful proposals show" in kept

    (one,) = _lines(run("mappings", "list", "--json"))
    told = _json(run("mappings", "show", one["id"], "--json"))
    assert [event["kind"] for event in told["history"]].count("MAPPING_CONFIRMED") == 2
    history = _done(run("mappings", "show", one["id"])).partition("history")[2]
    assert (history.count("confirmed"), history.count("rejected")) == (2, 1)
    assert run("mappings", "show", "nowhere-to-be-found").exit_code == 4


def test_a_mapping_that_nobody_used_for_long_is_stale(run: Run, database: str) -> None:
    clock = FrozenClock(datetime(2020, 1, 5, tzinfo=UTC))
    with heedful.open(database, clock=clock) as loop:
        id = loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", by="dana").id
    assert re.search(r"stale: last \d+ years ago", _flat(_done(run("mappings", "list"))))
    assert "neither confirmed nor used for more than 180 days" in _done(run("mappings", "show", id))


# Layouts


def test_a_layout_shows_what_people_corrected_in_it(desk: Run) -> None:
    draft = _extracted(desk)
    number = draft["fields"]["invoice_number"]["value"]
    _done(desk("documents", "correct", draft["id"], "invoice_number=RE-17", "--add-line", "sku=A-7", "qty=3"))
    last = _json(desk("documents", "draft", draft["id"], "--json"))["lines"][-1]["number"]
    _done(desk("documents", "correct", draft["id"], "--line", last, "qty=4"))
    _done(desk("documents", "correct", draft["id"], "--remove-line", last, "--customer", "C-1"))
    _done(desk("documents", "confirm", draft["id"]))

    listed = _done(desk("layouts"))
    assert re.search(rf"{draft['layout'][:8]} +1 +5 +█████ 100% of 1 +just now +hartmann-1", listed)
    assert _done(desk("layouts", "list")) == listed
    assert len(_lines(desk("layouts", "--limit", "1", "--json"))) == 1

    shown = _done(desk("layouts", "show", draft["layout"][:8]))
    for words in (
        draft["layout"],
        f"invoice_number {number} → RE-17",
        f"added line {last}",
        "sku A-7, qty 3",
        f"corrected line {last}",
        "qty 3 → 4",
        f"removed line {last}",
        "sku A-7, qty 4",
        "customer_id C-9 → C-1",
    ):
        assert words in _flat(shown), words
    told = _json(desk("layouts", "show", draft["layout"], "--json"))
    assert (told["example_count"], told["correction_rate"], len(told["events"])) == (5, 1.0, 5)
    assert "There are more" in _done(desk("layouts", "show", draft["layout"], "-n", "2"))

    untouched = _document(desk, "hartmann-2.pdf")["layout"]
    assert "Nobody corrected" in _done(desk("layouts", "show", untouched[:8]))
    assert desk("layouts", "show", "12").exit_code == 4


# Analytics


@pytest.fixture
def month(run: Run, database: str) -> Run:
    """Two documents were extracted on different days of January 2026, and one of them was corrected."""
    clock = FrozenClock(datetime(2026, 1, 5, 9, tzinfo=UTC))
    with heedful.open(database, clock=clock) as loop:
        for number in (1, 2):
            draft = loop.apply.extract(loop.capture.document(sample_document("hartmann", number).content))
            if number == 1:
                loop.capture.field_corrected(draft, "invoice_number", "RE-17", by="dana")
                loop.capture.field_corrected(draft, "=1+1", "evil", by="dana")
            clock.advance(days=7)
    return run


def _table(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_done(result))))


def test_analytics_are_plotted(month: Run) -> None:
    shown = _done(month("documents", "analytics", "--since", "2026-01-01", "--until", "2026-01-31"))
    assert "2 documents, 2 extractions, from 2026-01-01 to 2026-01-31" in shown
    assert re.search(r"corrected +██░░░ 50% of 2 extractions", shown)
    assert "what people did  2 acts" in shown
    assert re.search(r"field corrected +█{24} +2", shown)
    assert re.search(r"invoice_number +█{24} +1", shown)
    assert "confidence of extractions" in shown
    assert re.search(r"[0-9a-f]{8} +1 +2 +█████ 100%", shown)
    assert shown.count("2026-01-01 ") == 3

    year = _done(month("documents", "analytics", "--since", "2025-02-01", "--until", "2026-01-31"))
    assert "one column is 3 days" in year
    told = _json(month("documents", "analytics", "--since", "2026-01-01", "--until", "2026-01-31", "--json"))
    assert (told["events_by_type"], told["correction_rate"]) == ({"EXTRACTION_FIELD_CORRECTED": 2}, 0.5)


def test_analytics_are_written_as_csv_in_which_no_text_is_a_formula(month: Run) -> None:
    period = ("documents", "analytics", "--since", "2026-01-01", "--until", "2026-01-31", "--csv")
    assert _table(month(*period, "-")) == [{"date": "2026-01-05", "count": "2"}]
    fields = _table(month(*period, "-", "--table", "corrected_fields"))
    assert [one["field"] for one in fields] == ["'=1+1", "invoice_number"]
    quality = _table(month(*period, "-", "--table", "quality_by_day"))
    assert [(one["date"], one["extractions"], one["corrected"]) for one in quality] == [
        ("2026-01-05", "1", "1"),
        ("2026-01-12", "1", "0"),
    ]
    assert "layouts.csv has 2 rows of layout_stats" in _done(month(*period, "layouts.csv", "--table", "layout_stats"))
    header = "fingerprint,seen_count,example_count,feedback_count,last_seen_at,correction_rate,layout"
    assert Path("layouts.csv").read_text().splitlines()[0] == header

    for words, hint in ((["--table", "layout_stats"], "--csv"), (["--csv", "-", "--json"], "Drop one")):
        refused = month("documents", "analytics", *words)
        assert (refused.exit_code, hint in refused.output) == (2, True)


def test_plots_scale_to_their_values() -> None:
    assert [bar(share, 4) for share in (0, 0.01, 0.5, 1, 2)] == ["    ", "▏   ", "██  ", "████", "████"]
    assert [meter(share, 4) for share in (0, 0.5, 1)] == ["░░░░", "██░░", "████"]
    assert columns([0, 1, 2, None], 2, low=0, high=2) == ["  █ ", "▁██ "]
    assert columns([0.5, 0.5], 1, low=0.5, high=0.5) == ["▁▁"]
