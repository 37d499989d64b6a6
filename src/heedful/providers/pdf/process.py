"""Starts the processes that read PDF files, watches their time, and replaces those that a file has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Any

from heedful.errors import (
    Closed,
    DamagedDocument,
    DocumentTooLarge,
    DocumentTooSlow,
    HeedfulError,
    InvalidInput,
    Misconfigured,
    MissingExtra,
    NotPdf,
    by_code,
)
from heedful.providers.pdf.frames import Frame, receive, send
from heedful.records.document import DocumentText, PageText, Word

_MB = 1024 * 1024
_WIDEST = 2_000  # pixels of an image
_PROCESSES = 2
_START = 60.0  # seconds that a process may take to start, on a machine that is very busy
_DYING = 5.0  # seconds to wait for a process that has closed its pipes
_BEGINNING = 1_024  # bytes, of which some may come before %PDF-
_ENDING = 4_096  # bytes in which PDFium looks for where the index of the file is
_ANEW = "Save it anew with a PDF viewer, or pass the words with pages=…."
_MODULE = "heedful.providers.pdf.worker"
_OUT_OF_MEMORY = {
    getattr(signal, name) for name in ("SIGABRT", "SIGILL", "SIGKILL", "SIGTRAP") if hasattr(signal, name)
}
"""How PDFium ends, or the system ends it, when there is no memory left."""


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What one document may take."""

    seconds: float = 20.0
    memory: int = 1024 * _MB
    """Bytes, beyond what a process has when it starts."""
    size: int = 32 * _MB
    """Bytes of the file."""
    pages: int = 200
    words: int = 200_000


class PdfProcess:
    """A `PdfReader` with up to two processes, which are started when they are needed and kept. Safe for threads."""

    def __init__(self, limits: PdfLimits | None = None, *, command: Sequence[str] = ()) -> None:
        """`command` starts another worker than heedful's own."""
        self._limits = limits or PdfLimits()
        self._command = tuple(command)
        self._closed = False
        self._reset()

    def read(self, content: bytes) -> DocumentText:
        limits = self._limits
        answer = self._ask({"kind": "text", "pages": limits.pages, "words": limits.words}, content)
        try:
            return _document(answer.head)
        except (KeyError, TypeError, ValueError) as error:
            raise _crashed() from error

    def image(self, content: bytes, page: int, width: int) -> bytes:
        """Narrower than `width` only if the page is so long that the image would have more than 16 million pixels."""
        if not 1 <= width <= _WIDEST:
            raise InvalidInput(f"Invalid width: {width}.", hint=f"Pass the pixels, from 1 to {_WIDEST:,}.")
        return self._ask({"kind": "image", "page": page, "width": width}, content).content

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle = self._idle.copy()
            self._idle.clear()
        for worker in idle:
            worker.end()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(_PROCESSES)
        self._idle: list[_Worker] = []
        self._watchdog = _Watchdog(self._limits.seconds)

    def _ask(self, head: dict[str, Any], content: bytes) -> Frame:
        _check(content, self._limits.size)
        if self._pid != os.getpid():  # a fork, which must not talk through the pipes of its parent
            self._reset()
        request = Frame({**head, "seconds": self._limits.seconds}, content)
        with self._free:
            answer = self._answer(request)
        if "error" in answer.head:
            raise _error(answer.head, self._limits)
        return answer

    def _answer(self, request: Frame) -> Frame:
        idle = self._take()
        if idle is not None:
            with suppress(_Gone):  # it ended while it was idle, or because of what earlier documents left behind
                return self._use(idle, request)
        if not self._command and find_spec("pypdfium2") is None:
            raise MissingExtra(
                "Reading PDF files needs pypdfium2.", hint="Install it: pip install 'heedful[documents]'"
            )
        try:
            worker = _Worker(self._command, self._limits)
            worker.start()
            return self._use(worker, request)
        except _Gone as error:
            raise Misconfigured(
                "The process that reads PDF files does not start.",
                hint=f"See why: {sys.executable} -m {_MODULE} {self._limits.memory}",
            ) from error

    def _take(self) -> _Worker | None:
        with self._lock:
            if self._closed:
                raise Closed("The reader of PDF files was closed.", hint="Open the loop again.")
            return self._idle.pop() if self._idle else None

    def _use(self, worker: _Worker, request: Frame) -> Frame:
        try:
            with self._watchdog.watching(worker):
                answer = worker.ask(request)
        except BaseException:
            worker.end()
            raise
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return answer
        worker.end()
        return answer


class _Gone(Exception):
    """The process ended before it received the request, so that the document is not to blame."""


class _Watchdog:
    """Kills processes that take too long. Its one thread sleeps until the next that might: starting a
    timer for every document would take a twentieth of the time of reading it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._deadlines: dict[_Worker, float] = {}
        self._is_running = False

    @contextmanager
    def watching(self, worker: _Worker) -> Iterator[None]:
        with self._lock:
            self._deadlines[worker] = time.monotonic() + self._seconds
            if not self._is_running:
                threading.Thread(target=self._run, name="heedful-pdf", daemon=True).start()
                self._is_running = True
        try:
            yield
        finally:
            with self._lock:
                self._deadlines.pop(worker, None)

    def _run(self) -> None:
        pause = self._seconds  # whatever starts in the meantime has time until later
        while pause:
            time.sleep(pause)
            pause = self._round()

    def _round(self) -> float:
        """Returns the seconds to the next deadline, or 0 if there is nothing to watch."""
        with self._lock:
            now = time.monotonic()
            for worker in [worker for worker, deadline in self._deadlines.items() if deadline <= now]:
                del self._deadlines[worker]
                worker.overrun()
            self._is_running = bool(self._deadlines)
            return min(self._deadlines.values(), default=now) - now


class _Worker:
    """One process, for one request at a time."""

    def __init__(self, command: Sequence[str], limits: PdfLimits) -> None:
        self._limits = limits
        self._overran = False
        self._process = subprocess.Popen(  # noqa: S603 - no part of it comes from a document
            command or [sys.executable, "-P", "-m", _MODULE, str(limits.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        # Runs also when nothing refers to this any longer, and when the interpreter exits.
        self.end = weakref.finalize(self, _end, self._process, os.getpid())
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout

    def start(self) -> None:
        """Waits until the process has loaded what it needs, which is not the document's time."""
        timer = threading.Timer(_START, self._process.kill)  # and not this worker, which may be forgotten meanwhile
        timer.daemon = True
        timer.start()
        try:
            receive(self._answers)
        except (OSError, EOFError, ValueError) as error:
            self.end()
            raise _Gone from error
        finally:
            timer.cancel()

    def ask(self, request: Frame) -> Frame:
        is_received = False
        try:
            send(self._requests, request)
            receive(self._answers)
            is_received = True
            return receive(self._answers)
        except (OSError, EOFError, ValueError) as error:
            if self._overran:
                raise _too_slow(self._limits) from error
            if is_received:
                raise self._reason() from error
            raise _Gone from error

    def overrun(self) -> None:
        self._overran = True
        self._process.kill()

    def _reason(self) -> HeedfulError:
        """Why a document ended the process."""
        with suppress(subprocess.TimeoutExpired):
            if -self._process.wait(timeout=_DYING) in _OUT_OF_MEMORY:
                return _too_much(self._limits)
        return _crashed()


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner == os.getpid():
        process.kill()
        process.wait()
    else:
        process.returncode = 0  # the parent of this fork waits for it
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # the rest of a request that nobody reads
                pipe.close()


def _environment() -> dict[str, str]:
    """Where to find the same packages, and nothing that a file could make public."""
    found = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    if sys.platform == "win32":
        found["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    return found


def _check(content: bytes, most: int) -> None:
    if b"%PDF-" not in content[:_BEGINNING]:
        raise NotPdf("This is not a PDF file: it does not begin with %PDF-.", hint="Send the PDF file itself.")
    if len(content) > most:
        raise DocumentTooLarge(
            f"The file has {len(content):,} bytes; {most:,} are allowed.",
            hint="Split it, or save it with smaller images.",
        )
    end = content.rstrip(b"\0\r\n\t ")[-_ENDING:]
    if b"startxref" not in end and b"%%EOF" not in end:
        raise DamagedDocument("The document is damaged: the file ends too early.", hint="Send the whole file.")


def _error(head: dict[str, Any], limits: PdfLimits) -> HeedfulError:
    kind = by_code().get(str(head["error"]), DamagedDocument)
    if kind is DocumentTooSlow:
        return _too_much(limits)
    if not issubclass(kind, InvalidInput):
        return _crashed()
    return kind(str(head.get("message")), hint=str(head.get("hint")))


def _too_slow(limits: PdfLimits) -> DocumentTooSlow:
    return DocumentTooSlow(f"Reading the document takes more than {limits.seconds:g} seconds.", hint=_ANEW)


def _too_much(limits: PdfLimits) -> DocumentTooSlow:
    return DocumentTooSlow(f"Reading the document takes more than {limits.memory // _MB:,} MB of memory.", hint=_ANEW)


def _crashed() -> DamagedDocument:
    return DamagedDocument("The document is damaged: the process that read it ended.", hint=_ANEW)


def _document(head: dict[str, Any]) -> DocumentText:
    return DocumentText(tuple(_page(*page) for page in head["pages"]), int(head["tables"]), float(head["coverage"]))


def _page(width: float, height: float, columns: list[list[Any]]) -> PageText:
    """Raises `TypeError` or `ValueError`: the process might be under the control of a file that it read."""
    if not columns:
        return PageText(float(width), float(height), ())
    *places, texts = columns
    if set(map(type, chain(*places))) != {float} or set(map(type, texts)) != {str}:
        raise TypeError
    return PageText(float(width), float(height), tuple(map(Word, *places, texts)))
