"""Which files of a folder are read, and by whom."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from heedful.capture.conversations.transcripts import UnreadableFile, files, readers
from heedful.errors import InvalidInput, Misconfigured
from tests.unit.capture.transcripts.reading import FIXTURES

LINE = '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"hi"}}\n'


def test_a_folder_is_searched_in_order_with_its_hidden_folders(tmp_path: Path) -> None:
    for name in (
        "b.jsonl",
        ".claude/projects/x/a.jsonl",
        "node_modules/m/c.jsonl",
        ".git/d.jsonl",
        "notes.md",
        "e.json",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(LINE if name.endswith(".jsonl") else "# Notes\n")
    (tmp_path / "empty.jsonl").touch()
    found = [file.relative_to(tmp_path).as_posix() for file, _ in files(tmp_path)]
    assert found == ["b.jsonl", ".claude/projects/x/a.jsonl"]


def test_a_link_back_to_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    assert [file.name for file, _ in files(tmp_path)] == ["a.jsonl"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
def test_what_cannot_be_opened_is_told_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LINE)
    closed = tmp_path / "closed.jsonl"
    closed.write_text(LINE)
    closed.chmod(0)
    told: list[UnreadableFile] = []
    assert [file.name for file, _ in files(tmp_path, told.append)] == ["a.jsonl"]
    assert told == [(closed, "permission denied")]


def test_compressed_sessions_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    told: list[UnreadableFile] = []
    assert list(files(tmp_path, told.append)) == []
    assert [(file.path.name, file.why) for file in told] == [("rollout-1.jsonl.zst", "compressed; unpack it with zstd")]


def test_files_of_other_types_are_told_of_and_not_opened(tmp_path: Path) -> None:
    for name in ("a.jsonl", "orders.csv", "photo.PNG", "notes.md", "chats.db-wal", "node_modules/left.out"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(LINE if name == "a.jsonl" else "id,total\n")
    told: list[tuple[str, str]] = []
    assert len(list(files(tmp_path, passed_over=lambda file, why: told.append((file.name, why))))) == 1
    other = "of a type that holds no conversations"
    assert told == [("notes.md", "not a transcript"), ("orders.csv", other), ("photo.PNG", other)]


def test_a_file_that_is_no_transcript_is_refused_with_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "cake.jsonl"
    file.write_text('{"flour": 500}\n')
    with pytest.raises(InvalidInput) as refused:
        list(files(file))
    assert "Claude Code, Codex, Gemini" in refused.value.hint
    assert "flour" not in str(refused.value)


def test_a_path_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        list(files(tmp_path / "nowhere"))


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    assert list(files(tmp_path / "a.jsonl")) == []


def test_a_session_is_recognised_by_its_content_whatever_its_name(tmp_path: Path) -> None:
    (export,) = FIXTURES.glob("chatgpt/*.json")
    shutil.copy(export, tmp_path / "backup")
    ((_, reader),) = files(tmp_path / "backup")
    assert reader.name == "chatgpt"


def test_a_first_line_longer_than_the_head_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text('{"session_id":"s","agent":"x","turns":[{"role":"user","text":"' + "y" * 100_000 + '"}]}\n')
    ((_, reader),) = files(file)
    assert reader.name == "sessions"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that offers the reader `extra`; its module is for the test to write."""
    about = tmp_path / "campfire-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: campfire\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[heedful.transcripts]\nextra = campfire_reader:Extra\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "campfire_reader", raising=False)
    readers.cache_clear()
    yield tmp_path / "campfire_reader.py"
    readers.cache_clear()


def test_other_packages_add_readers(package: Path) -> None:
    package.write_text(
        "class Extra:\n"
        "    name = 'campfire'\n"
        "    follows = False\n"
        "    def recognises(self, path, head): return head.startswith(b'CAMPFIRE')\n"
        "    def read(self, path, start=0): return iter(())\n"
    )
    file = package.with_name("talk.txt")
    file.write_text("CAMPFIRE\n")
    ((_, reader),) = files(file)
    assert reader.name == "campfire"


@pytest.mark.parametrize("module", ["raise RuntimeError('boom')\n", "Other = 1\n", "Extra = 7\n"])
def test_a_broken_package_is_named(package: Path, module: str) -> None:
    package.write_text(module)
    with pytest.raises(Misconfigured, match="'extra' of campfire"):
        readers()
