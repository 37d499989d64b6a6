"""The process that reads PDF files: `python -m heedful.providers.pdf.worker BYTES`, the memory that it may use.

It takes requests from its input and ends with it. Whatever a file does to it, it cannot write files, take more memory
or outlive the time of its document.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import IO

from heedful.errors import DocumentTooSlow, HeedfulError, InvalidInput
from heedful.providers.pdf.frames import STARTED, Frame, receive, send
from heedful.providers.pdf.reading import read
from heedful.providers.pdf.rendering import image

_LATER = 5  # seconds after which it ends itself, should the process that watches it be gone


def main() -> None:
    memory = int(sys.argv[1])
    requests, answers = _pipes()
    import pypdfium2.raw as pdfium

    start = _limit(memory)
    gc.freeze()
    gc.set_threshold(100_000)  # words are no garbage, and few documents have more
    send(answers, STARTED)
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        send(answers, STARTED)
        _alarm(int(request.head["seconds"]) + _LATER)
        answer = _answer(pdfium, request)
        _alarm(0)
        send(answers, answer)
        if answer.head.get("error") == DocumentTooSlow.code or _in_use() - start > memory // 2:
            return  # what documents left behind must not count against the next: that gets a new process


def _answer(pdfium: object, request: Frame) -> Frame:
    head = request.head
    try:
        if head["kind"] == "image":
            return Frame({}, image(pdfium, request.content, head["page"], head["width"]))
        return Frame(read(pdfium, request.content, most_pages=head["pages"], most_words=head["words"]))
    except MemoryError:
        return _error(DocumentTooSlow("", hint=""))
    except InvalidInput as error:
        return _error(error)


def _error(error: HeedfulError) -> Frame:
    return Frame({"error": error.code, "message": error.message, "hint": error.hint})


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """What libraries print must not get into the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
    return sys.stdin.buffer, answers


def _limit(memory: int) -> int:
    """Limits what this process can do. Returns the bytes of memory in use."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it, which then ends it
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - Windows does not have it

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would have the document in it
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    start = _in_use()
    if start:
        resource.setrlimit(resource.RLIMIT_AS, (start + memory, start + memory))
    return start


def _in_use() -> int:
    """The bytes of address space in use, or 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _alarm(seconds: int) -> None:
    """The default action of the signal ends the process, also within native code."""
    if sys.platform != "win32":
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
