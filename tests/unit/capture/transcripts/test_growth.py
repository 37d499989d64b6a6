"""Files that grow, are damaged, or were never meant to be read."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.conversations.transcripts import DamagedRecord, TranscriptMessage, readers
from heedful.capture.conversations.transcripts.elements import ELEMENT_LIMIT, elements
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT
from heedful.records.transcript import Speaker
from tests.effort import at_most
from tests.examples import examples
from tests.unit.capture.transcripts.reading import ALL, named, whole

FOLLOWED = [(path, reader) for path, reader in ALL if reader.follows]
CONTENTS = [path.read_bytes() for path, _ in ALL]
REASONS = {
    "not JSON", "not an object", "too long", "cut off", "no type", "no message", "no content", "no role", "no payload",
    "no attachment", "no messages", "no turns", "no session", "unknown kind of record",
    "damaged database",
}  # fmt: skip


def _line(text: str, uuid: str) -> str:
    message = {"role": "user", "content": text}
    return json.dumps({"type": "user", "uuid": uuid, "sessionId": "s", "message": message}) + "\n"


def test_reading_on_from_any_position_loses_nothing_and_tells_it_alike() -> None:
    for path, reader in FOLLOWED:
        at_once = [item for item in reader.read(path) if isinstance(item, TranscriptMessage)]
        for number, item in enumerate(at_once):
            rest = [later for later in reader.read(path, item.position) if isinstance(later, TranscriptMessage)]
            assert rest == at_once[len(at_once) - len(rest) :]
            assert len(rest) >= len(at_once) - number - 1
        if at_once:
            assert list(reader.read(path, at_once[-1].position)) == []


@examples(60)
@given(st.data())
def test_a_file_that_is_still_written_gives_the_same_in_two_goes(data: st.DataObject) -> None:
    path, reader = data.draw(st.sampled_from([pair for pair in FOLLOWED if list(pair[1].read(pair[0]))]))
    content = path.read_bytes()
    cut = data.draw(st.integers(len(content) // 3, len(content)))
    with tempfile.TemporaryDirectory() as folder:
        growing = Path(folder, path.name)
        growing.write_bytes(content)
        at_once = list(reader.read(growing))
        growing.write_bytes(content[:cut])
        first = list(reader.read(growing))
        assert not [item for item in first if isinstance(item, DamagedRecord)]
        position = max((item.position for item in first if isinstance(item, TranscriptMessage)), default=0)
        growing.write_bytes(content)
        then = list(reader.read(growing, position))
    both = {
        (s.source.conversation, s.message.id): s.message for s in (*first, *then) if isinstance(s, TranscriptMessage)
    }
    assert both == {
        (s.source.conversation, s.message.id): s.message for s in at_once if isinstance(s, TranscriptMessage)
    }


def test_a_half_written_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    first, second = _line("one", "1"), _line("two", "2")
    file.write_text(first + second[:30])
    said, damaged = whole(file)
    assert [s.message.text for s in said] == ["one"]
    assert not damaged
    assert said[0].position == len(first)
    file.write_text(first + second)
    rest = list(named("claude-code").read(file, said[0].position))
    assert [s.message.text for s in rest if isinstance(s, TranscriptMessage)] == ["two"]


def test_a_file_that_was_written_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line("another", "3"))
    for position in (7, 10_000):
        assert len(list(named("claude-code").read(file, position))) == 1


def test_a_line_without_end_is_told_of_and_skipped(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line("one", "1") + '"' + "x" * (LINE_LIMIT + 2_000_000) + '"\n' + _line("two", "2"))
    said, damaged = whole(file)
    assert [s.message.text for s in said] == ["one", "two"]
    assert damaged == [(f"byte {len(_line('one', '1'))}", "too long")]


def test_damage_has_a_position_also_when_reading_on(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line("one", "1") + "{broken\n")
    start = len(_line("one", "1"))
    assert list(named("claude-code").read(file, start)) == [(f"byte {start}", "not JSON")]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + _line("hi", "1").encode(),
        _line("hi", "1").replace("\n", "\r\n").encode(),
        b"\x00" * 50 + _line("hi", "1").encode(),
        _line("hi", "1").replace('"hi"', '"hi\\ud83d"').encode(),
        _line("hi", "1").replace('"sessionId"', '"n":NaN,"sessionId"').encode(),
        _line("hi", "1").replace('"hi"', '"hi\xe9"').encode("latin-1"),
        _line("hi", "1").strip().encode(),
    ],
)
def test_odd_bytes_around_a_message_do_not_hide_it(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(data)
    said, _ = whole(file)
    assert said[0].message.text.startswith("hi")
    assert said[0].message.role is Speaker.USER


def test_nesting_without_end_is_only_damage(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(_line("hi", "1") + "[" * 500_000 + "\n" + '{"a":' * 500_000 + "\n")
    said, damaged = whole(file)
    assert len(said) == 1
    assert [found.why for found in damaged] == ["not JSON", "not JSON"]


def _read_by_all(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "session-x")
        file.write_bytes(content)
        for reader in readers():
            reader.recognises(file, content[: 64 * 1024])
            for item in reader.read(file):
                if isinstance(item, DamagedRecord):
                    assert item.why in REASONS
                else:
                    item.message.text.encode()
                    assert item.source.conversation
                    assert item.message.id
            list(reader.read(file, len(content) // 2))


@examples(60)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_a_fuss(content: bytes) -> None:
    _read_by_all(content)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["user", "text", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def _swap(value: object, data: st.DataObject) -> object:
    """The value with something else in one place of it."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: _swap(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 5)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], _swap(value[place], data), *value[place + 1 :]]
    return data.draw(_VALUES)


@examples(150)
@given(st.data())
def test_records_of_the_wrong_types_are_read_without_a_fuss(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([path for path, _ in ALL if path.suffix != ".md"]))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        _read_by_all(json.dumps(_swap(json.loads(text), data)).encode())
        return
    lines = text.splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    lines[place] = json.dumps(_swap(json.loads(lines[place]), data))
    _read_by_all("\n".join(lines).encode())


@examples(60)
@given(st.sampled_from(CONTENTS), st.data())
def test_mangled_files_are_read_without_a_fuss(content: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 60)))
    _read_by_all(content[:start] + data.draw(st.binary(max_size=8)) + content[end:])


_SPACES = st.sampled_from(["", " ", "\n\t"])


@examples(80)
@given(st.lists(st.dictionaries(st.text(max_size=5), _VALUES, max_size=3), max_size=5), _SPACES, st.booleans())
def test_the_elements_of_an_array_are_those_that_json_finds(values: list[object], space: str, ascii: bool) -> None:
    written = json.dumps(values, ensure_ascii=ascii, separators=("," + space, ":" + space))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.json")
        file.write_bytes(written.encode("utf-8", "surrogatepass"))
        found = [element.fields for element in elements(file) if not isinstance(element, DamagedRecord)]
    assert json.dumps(found) == json.dumps(json.loads(json.dumps(values)))


def test_an_array_is_cut_up_wherever_the_chunks_end(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    long = {"text": 'a "quoted" \\ [{' * 200_000, "n": 1}
    file.write_text(json.dumps([long, {"n": 2}, [3], "[", {"n": 4}]))
    found = list(elements(file))
    assert [e.fields["n"] for e in found if not isinstance(e, DamagedRecord)] == [1, 2, 4]
    assert [e for e in found if isinstance(e, DamagedRecord)] == [("element 3", "not an object")]


def test_an_array_that_ends_too_early_gives_what_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[{"n":1},{"n":2')
    assert [found[:2] for found in elements(file)] == [(1, {"n": 1}), ("element 2", "cut off")]


@pytest.mark.parametrize(
    "piece",
    [
        '<tool-use data-tool-type="a" data-tool-name="b">\n',
        '<tool-use data-tool-type="a" data-tool-name="b">\n</tool-use>\n',
        "_**User**_\n",
        "# \n<think>\n",
        "x",
    ],
)
def test_hostile_markdown_costs_little(tmp_path: Path, piece: str) -> None:
    file = tmp_path / "a.md"
    file.write_text("<!-- Generated by SpecStory -->\n_**Agent**_\n" + piece * (2_000_000 // len(piece)))
    with at_most(10):
        list(named("specstory").read(file))


def test_a_huge_element_is_told_of_and_skipped(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    with file.open("w") as out:
        out.write('[{"n":1},{"n":2,"texts":[')
        for _ in range(ELEMENT_LIMIT // 1_000_000 + 4):
            out.write('"' + "y" * 1_000_000 + '",')
        out.write('""]},{"n":3}]')
    assert [found[:2] for found in elements(file)] == [(1, {"n": 1}), ("element 2", "too long"), (3, {"n": 3})]
