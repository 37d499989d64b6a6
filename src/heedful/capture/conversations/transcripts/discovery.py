"""Finds transcript files and their readers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from heedful.capture.conversations.transcripts.aider import Aider
from heedful.capture.conversations.transcripts.chatgpt import ChatGpt
from heedful.capture.conversations.transcripts.claude_ai import ClaudeAi
from heedful.capture.conversations.transcripts.claude_code import ClaudeCode
from heedful.capture.conversations.transcripts.cline import Cline, ClineSessions
from heedful.capture.conversations.transcripts.cline_screen import ClineScreen
from heedful.capture.conversations.transcripts.codex import Codex
from heedful.capture.conversations.transcripts.continue_dev import Continue
from heedful.capture.conversations.transcripts.copilot_chat import CopilotChat, CopilotChatLog
from heedful.capture.conversations.transcripts.copilot_cli import CopilotCli
from heedful.capture.conversations.transcripts.cursor import Cursor, CursorAgent, CursorMarkdown
from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, without_bom
from heedful.capture.conversations.transcripts.droid import Droid
from heedful.capture.conversations.transcripts.gemini import Gemini, GeminiLines, GeminiLogs
from heedful.capture.conversations.transcripts.goose import Goose, GooseLines
from heedful.capture.conversations.transcripts.kimi import Kimi, KimiContext
from heedful.capture.conversations.transcripts.messages import MessageLines, MessageList
from heedful.capture.conversations.transcripts.opencode import OpenCode, OpenCodeFiles
from heedful.capture.conversations.transcripts.pi import Pi
from heedful.capture.conversations.transcripts.places import title
from heedful.capture.conversations.transcripts.qwen import QwenCode
from heedful.capture.conversations.transcripts.reader import HEAD, TranscriptReader, UnreadableFile
from heedful.capture.conversations.transcripts.sessions import Sessions
from heedful.capture.conversations.transcripts.specstory import SpecStory
from heedful.errors import InvalidInput, Misconfigured

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "heedful.transcripts"
_SUFFIXES = frozenset(
    {".json", ".jsonl", ".ndjson", ".md", ".txt", ".db"}
)  # looked into; any file can be given by itself
_LINES = frozenset({".jsonl", ".ndjson"})
_NO_JSON = "it is not JSON"
_LONGEST_LINE = HEAD // 2  # bytes: of a longer one not all may have been read
_LEFT_OUT = frozenset({"node_modules", ".git", ".hg", ".svn", ".venv", "__pycache__"})
_BESIDE = (".db-wal", ".db-shm", ".db-journal")  # parts of a database that is read
_COMPRESSED = ".jsonl.zst"  # what Codex makes of old sessions
_STORAGE = frozenset({"session", "message", "part"})  # of OpenCode: the files of the sessions lead to the others
EMPTY, UNKNOWN, OTHER = "empty", "not a transcript", "of a type that holds no conversations"

# In order of precision: many other files look like lists of messages, too.
_OWN: tuple[TranscriptReader, ...] = (
    QwenCode(), ClaudeCode(), Codex(), Gemini(), GeminiLines(), GeminiLogs(), ChatGpt(), ClaudeAi(), SpecStory(),
    Aider(), CursorMarkdown(), CursorAgent(), CopilotCli(), CopilotChat(), CopilotChatLog(), Droid(), Pi(), Kimi(),
    KimiContext(), OpenCode(), OpenCodeFiles(), Goose(), GooseLines(), Continue(), Cline(), ClineScreen(),
    ClineSessions(), Sessions(), Cursor(), MessageLines(), MessageList(),
)  # fmt: skip


@cache
def readers() -> tuple[TranscriptReader, ...]:
    """Readers of other packages come first, then heedful's own."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - only who reads transcripts pays for it

    return tuple(_loaded(point) for point in entry_points(group=GROUP)) + _OWN


def files(
    path: Path,
    skipped: Callable[[UnreadableFile], object] | None = None,
    passed_over: Callable[[Path, str], object] = lambda *_: None,
) -> Iterator[tuple[Path, TranscriptReader]]:
    """The file, or every transcript in the folder, in order.

    `skipped` gets the files that could not be opened, and `passed_over` those that are empty or something else.
    """
    skip = skipped or (lambda _: None)
    if path.is_dir():
        for file in _inside(path, skip, passed_over):
            unreadable: list[UnreadableFile] = []
            reader = _recognised(file, unreadable.append)
            for one in unreadable:
                skip(one)
            if reader:
                yield file, reader
            elif not unreadable:
                passed_over(file, UNKNOWN if file.stat().st_size else EMPTY)
        return
    if not path.is_file():
        raise InvalidInput(f"There is no file or folder {path} to be read.", hint="Check the path.")
    reader = _recognised(path, _refuse)
    if reader is None and path.stat().st_size:
        raise InvalidInput("This file is not a transcript that heedful knows.", hint=_known())
    if reader:
        yield path, reader


def _inside(
    folder: Path, skip: Callable[[UnreadableFile], object], passed_over: Callable[[Path, str], object]
) -> Iterator[Path]:
    def closed(error: OSError) -> None:
        skip(UnreadableFile(Path(os.fsdecode(error.filename or folder)), _why(error)))

    for place, folders, names in os.walk(folder, onerror=closed):  # links to folders are not followed
        folders[:] = ["session"] if set(folders) >= _STORAGE else sorted(set(folders) - _LEFT_OUT)
        for name in sorted(names):
            file = Path(place, name)
            if name.endswith(_COMPRESSED):
                skip(UnreadableFile(file, "compressed; unpack it with zstd"))
            elif not file.is_file():  # a link to nothing, a socket
                continue
            elif file.suffix.lower() in _SUFFIXES:
                yield file
            elif not name.endswith(_BESIDE):
                passed_over(file, OTHER)


def _recognised(file: Path, skip: Callable[[UnreadableFile], object]) -> TranscriptReader | None:
    try:
        with file.open("rb") as opened:
            head = opened.read(HEAD)
    except OSError as error:
        skip(UnreadableFile(file, _why(error)))
        return None
    try:
        reader = next((reader for reader in readers() if reader.recognises(file, head)), None) if head else None
    except Exception as error:  # noqa: BLE001 - readers of other packages, and whatever a file begins with
        skip(UnreadableFile(file, f"it cannot be recognised ({type(error).__name__})"))
        return None
    if reader is None and _is_broken(file, head):
        skip(UnreadableFile(file, _NO_JSON))
    return reader


def _is_broken(file: Path, head: bytes) -> bool:
    """Whether a transcript is damaged. Other JSON files, with or without comments, are common and skipped."""
    kind = file.suffix.lower()
    if kind == ".json":
        return b"\x00" in head.strip(b"\x00")  # a crash can leave NULs at the end
    first, rest = head.strip()[:_LONGEST_LINE], head.strip()[_LONGEST_LINE:]
    if kind not in _LINES or not first or (rest and b"\n" not in first):
        return False
    try:
        decode_json(without_bom(first.partition(b"\n")[0]))
    except InvalidJson:
        return True
    return False


def _refuse(file: UnreadableFile) -> None:
    hint = "It may be damaged, or no transcript." if file.why == _NO_JSON else "Check its permissions."
    raise InvalidInput(f"This file cannot be read: {file.why}.", hint=hint)


def _why(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _known() -> str:
    names = ", ".join(dict.fromkeys(title(reader.name) for reader in readers()))
    return f"It knows {names}. Unpack archives first."


def _loaded(point: EntryPoint) -> TranscriptReader:
    owner = point.dist.name if point.dist else point.value
    try:
        found = point.load()
        reader = found() if isinstance(found, type) else found
    except Exception as error:  # the error names the package
        raise Misconfigured(
            f"The reader of transcripts {point.name!r} of {owner} cannot be loaded: {type(error).__name__}.",
            hint="Update or uninstall that package.",
        ) from error
    if not isinstance(reader, TranscriptReader):
        raise Misconfigured(
            f"The reader of transcripts {point.name!r} of {owner} is not a reader.",
            hint="It needs name, follows, recognises(path, head) and read(path, start).",
        )
    return reader
