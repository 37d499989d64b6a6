"""Files of conversations become events: each message once, whatever happens to the file or to who reads it; on every
database."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import heedful
from heedful import JobState
from heedful.capture.conversations.importing import ImportResult
from heedful.edges.worker import Worker
from heedful.errors import InvalidInput
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, rows
from tests.contract.mining import LINT, RULES, Messages, PlainReader, active, confirmations, mined, talk, whole

SESSION = "0b6d6a5e-5f0c-4f8e-9a40-53a1c0de0001"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=PlainReader())


def _lines(messages: Messages, session: str = SESSION) -> list[str]:
    """As Claude Code writes them."""
    return [
        json.dumps(
            {
                "parentUuid": f"{session}-{number - 1}" if number else None,
                "isSidechain": False,
                "type": message["role"],
                "uuid": f"{session}-{number}",
                "sessionId": session,
                "cwd": "/srv/work/shop",
                "timestamp": f"2026-01-04T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
                "message": {"role": message["role"], "content": message["text"]},
            }
        )
        + "\n"
        for number, message in enumerate(messages)
    ]


def _write(path: Path, lines: list[str], mode: str = "w") -> None:
    with path.open(mode, encoding="utf-8") as file:
        file.writelines(lines)


def _counts(read: ImportResult) -> tuple[int, int, int, int]:
    return read.files, read.unchanged, read.messages, read.known


def _said(loop: heedful.Loop) -> list[str]:
    return [event.after["text"] for event in loop.events(kind="MESSAGE_SAID")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "projects" / "shop"
    folder.mkdir(parents=True)
    return folder / f"{SESSION}.jsonl"


def test_a_file_is_read_and_mined_and_read_again_it_is_unchanged(loop: heedful.Loop, file: Path) -> None:
    _write(file, _lines(talk(LINT)))
    first = loop.capture.transcripts(file.parent.parent)
    assert (_counts(first), first.conversations) == ((1, 0, 4, 0), {SESSION})
    assert loop.jobs.count_by_state()[JobState.QUEUED] == 1
    Worker(loop).run_all()
    before = list(loop.events())
    (one,) = active(loop)
    assert (one.about, one.conversation) == ("shop", SESSION)

    again = loop.capture.transcripts(file)
    assert (_counts(again), again.conversations) == ((1, 1, 0, 0), set())
    assert list(loop.events()) == before
    whole(loop)


def test_of_a_file_that_has_grown_only_the_new_lines_are_read(loop: heedful.Loop, file: Path) -> None:
    lines = _lines(talk(LINT, RULES[1]))
    _write(file, lines[:4])
    loop.capture.transcripts(file)
    Worker(loop).run_all()
    _write(file, [*lines[4:5], lines[5][:30]], "a")  # the last one is just being written
    grown = loop.capture.transcripts(file)
    assert _counts(grown) == (1, 0, 1, 0)
    assert not grown.damaged
    _write(file, [lines[5][30:]], "a")
    assert _counts(loop.capture.transcripts(file)) == (1, 0, 1, 0)
    assert _counts(loop.capture.transcripts(file)) == (1, 1, 0, 0)
    Worker(loop).run_all()

    assert _said(loop) == [message["text"] for message in talk(LINT, RULES[1])]
    assert len(active(loop)) == 2
    assert mined(loop)[SESSION] == 2


def test_bookkeeping_at_the_end_of_a_file_is_nothing_new(loop: heedful.Loop, file: Path) -> None:
    note = json.dumps({"type": "file-history-snapshot", "messageId": "x"}) + "\n"
    _write(file, [*_lines(talk(LINT)), note])
    loop.capture.transcripts(file)
    before = len(list(loop.events()))

    again = loop.capture.transcripts(file)
    assert (again.messages, again.conversations, len(list(loop.events()))) == (0, set(), before)
    assert again.unchanged == 1  # and it is not read again


def test_a_file_that_was_cut_or_replaced_is_read_from_its_beginning(loop: heedful.Loop, file: Path) -> None:
    lines = _lines(talk(LINT, *RULES[1:]))
    _write(file, lines)
    loop.capture.transcripts(file)
    _write(file, lines[:3])
    assert _counts(loop.capture.transcripts(file)) == (1, 0, 0, 3)

    other = _lines(talk(RULES[2], RULES[3]), session=SESSION.replace("0001", "0002"))
    _write(file, other)
    assert _counts(loop.capture.transcripts(file)) == (1, 0, 6, 0)
    changed = [*lines[:-1], *_lines(talk(*RULES, LINT))[-2:]]  # the same beginning, and another end
    _write(file, lines)
    loop.capture.transcripts(file)
    _write(file, [changed[0], *changed[2:]])
    assert loop.capture.transcripts(file).messages == 2


def test_two_files_with_the_same_conversation_are_one(loop: heedful.Loop, file: Path) -> None:
    lines = _lines(talk(LINT))
    _write(file, lines)
    _write(file.with_name("copy.jsonl"), [*lines, *_lines(talk(LINT, RULES[1]))[4:]])
    read = loop.capture.transcripts(file.parent)

    assert _counts(read) == (2, 0, 6, 4)
    assert len(_said(loop)) == 6
    Worker(loop).run_all()
    assert mined(loop) == {SESSION: 1}
    assert confirmations(loop) == []


def test_a_message_that_is_written_twice_in_a_file_is_one(loop: heedful.Loop, file: Path) -> None:
    lines = _lines(talk(LINT))
    _write(file, [*lines, lines[1], lines[2]])
    assert loop.capture.transcripts(file).messages == 4
    assert len(_said(loop)) == 4


class Interrupt(Exception):
    """Somebody pulls the plug."""


@pytest.mark.parametrize("after", [1, 2, 3])
def test_who_is_interrupted_goes_on_where_they_were(
    loop: heedful.Loop, file: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.capture.conversations.importing"), "_TOGETHER", 4)
    messages = talk(*RULES)  # three times four messages
    assert len(messages) == 12
    _write(file, _lines(messages))
    calls: list[int] = []

    def pull(done: int, total: int) -> None:
        assert 0 <= done <= total == file.stat().st_size
        calls.append(done)
        if len(calls) == after + 1:
            raise Interrupt

    with pytest.raises(Interrupt):
        loop.capture.transcripts(file, progress=pull)
    assert 0 < len(_said(loop)) <= 12
    rest = loop.capture.transcripts(file)
    assert rest.known == 0

    assert _said(loop) == [message["text"] for message in messages]
    Worker(loop).run_all()
    assert mined(loop) == {SESSION: 1}
    assert len(active(loop)) == len(RULES)


def test_records_that_cannot_be_read_are_counted_and_the_others_are_read(loop: heedful.Loop, file: Path) -> None:
    lines = _lines(talk(LINT))
    _write(file, [lines[0], '{"type": "user", Wexolian\n', *lines[1:3], '["Wexolian"]\n', lines[3]])
    read = loop.capture.transcripts(file)

    assert read.messages == 4
    assert {path: why.total() for path, why in read.damaged.items()} == {file: 2}
    assert "Wexol" not in str(read.damaged)


def test_files_that_are_read_whole_are_not_read_again_until_they_change(loop: heedful.Loop, file: Path) -> None:
    path = file.with_name("chat.json")
    told: Any = [{"role": message["role"], "content": message["text"]} for message in talk(LINT)]
    path.write_text(json.dumps(told), "utf-8")
    assert loop.capture.transcripts(path).messages == 4
    assert loop.capture.transcripts(path).unchanged == 1
    told += [{"role": message["role"], "content": message["text"]} for message in talk(LINT, RULES[1])[4:]]
    path.write_text(json.dumps(told), "utf-8")

    assert loop.capture.transcripts(path).messages == 2
    Worker(loop).run_all()
    assert len(active(loop)) == 2


def test_where_a_file_lies_is_nobodys_business(loop: heedful.Loop, file: Path) -> None:
    _write(file, _lines(talk(LINT)))
    loop.capture.transcripts(file)
    ((source, position),) = rows(loop, "reading", "source, position")

    assert position == file.stat().st_size
    assert not any(part in source for part in file.parts)
    with pytest.raises(InvalidInput):
        loop.capture.transcripts(file.with_name("nowhere.jsonl"))


def test_organisations_read_the_same_file_each_for_itself(loop: heedful.Loop, file: Path) -> None:
    _write(file, _lines(talk(LINT)))
    for one in (loop, loop.org("globex")):
        assert one.capture.transcripts(file).messages == 4
        assert one.capture.transcripts(file).unchanged == 1
