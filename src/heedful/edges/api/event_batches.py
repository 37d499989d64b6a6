"""Batches: NDJSON in, one result per line out, in bounded memory. Results are buffered until the last line is read."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import IO, Any

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from heedful.edges.api import problems
from heedful.edges.api.executor import Executor, caller_of
from heedful.edges.request_body import BodyStream, Timeouts
from heedful.errors import BadRequest, HeedfulError, InvalidInput, InvalidPayload
from heedful.loop import Loop
from heedful.records.event import EventReceipt

MEDIA_TYPE = "application/x-ndjson"
_LONGEST_LINE = 256 * 1024
_LINES = 1_000  # per slot: others wait until they are recorded
_BYTES = 512 * 1024
_MOST_REFUSED = 10_000
_MOST_BLANK = 10_000
_IN_MEMORY = 1024 * 1024
_PIECE = 64 * 1024

_EXAMPLE = '{"kind": "MAPPING_CONFIRMED", "actor": "dana", "id": "a-1"}\n{"kind": "MAPPING_REJECTED", "actor": "lee"}\n'
_ANSWER = '{"line": 1, "id": "a-1", "seq": 1}\n{"line": 2, "id": "a-2", "seq": 2}\n{"recorded": 2, "refused": 0}\n'
REQUEST_BODY = {
    "required": False,
    "description": "One event per line, with the fields of `POST /v1/events`.",
    "content": {MEDIA_TYPE: {"schema": {}, "example": _EXAMPLE}},  # any line gets its own result
}
ANSWERS: dict[str, Any] = {
    "description": "One line per non-empty line: its number with id and seq, or with the problem. "
    "The last line has the totals.",
    "content": {MEDIA_TYPE: {"schema": {"type": "string"}, "example": _ANSWER}},
}


async def answer(request: Request, executor: Executor, timeouts: Timeouts) -> Response:
    caller, whole = caller_of(request), _whole(request)
    answers = _Answers(whole=whole)
    stream = BodyStream(request, timeouts, check=executor.require_running)
    try:
        async for numbers, lines in _chunks(stream.pieces()):
            async with executor.stream_slot(caller):
                await stream.require_connection()
                await executor.in_thread(caller, partial(answers.add, numbers, lines))
            if answers.stopped:
                break
    except BaseException:
        answers.close()
        raise
    return StreamingResponse(answers.read(), media_type=MEDIA_TYPE)


def _whole(request: Request) -> bool:
    written = dict(request.query_params)
    whole = written.pop("whole", "false")
    if written or whole not in ("true", "false"):
        raise InvalidInput("Unknown parameter, or invalid value for whole.", hint="Send ?whole=true, or nothing.")
    return whole == "true"


class _Answers:
    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed when read
        self._recorded = 0
        self._refused = 0
        self.stopped = False

    def add(self, numbers: list[int], lines: list[bytes], loop: Loop) -> None:
        try:
            answers = list(loop.capture.batch(lines, whole=self._whole))
        except HeedfulError as error:
            if error.item is None:
                raise
            numbers, answers, self.stopped = [numbers[error.item]], [error], True
        written = [self._line(number, answer) for number, answer in zip(numbers, answers, strict=True)]
        self._file.write(b"\n".join(written) + b"\n")

    def _line(self, number: int, answer: EventReceipt | HeedfulError) -> bytes:
        if isinstance(answer, EventReceipt):
            self._recorded += 1
            return orjson.dumps({"line": number, "id": answer.id, "seq": answer.seq})
        self._refused += 1
        if self._refused > _MOST_REFUSED:
            raise InvalidPayload(
                f"More than {_MOST_REFUSED:,} invalid lines, the last one in line {number:,}.",
                hint=f"The {self._recorded:,} valid ones before it are recorded. Check the data.",
            )
        return orjson.dumps({"line": number, "problem": problems.document(answer)})

    def read(self) -> Iterator[bytes]:
        self._file.write(orjson.dumps({"recorded": self._recorded, "refused": self._refused}) + b"\n")
        self._file.seek(0)
        with self._file:
            while piece := self._file.read(_PIECE):
                yield piece

    def close(self) -> None:
        self._file.close()


async def _chunks(source: AsyncIterator[bytes]) -> AsyncIterator[tuple[list[int], list[bytes]]]:
    numbers: list[int] = []
    lines: list[bytes] = []
    begun, size, blank = 1, 0, 0
    async for whole in _lines(source):
        for number, line in enumerate(whole, begun):
            if not line or line.isspace():
                blank += 1
                continue
            numbers.append(number)
            lines.append(line)
            size += len(line)
            if len(lines) >= _LINES or size >= _BYTES:
                yield numbers, lines
                numbers, lines, size = [], [], 0
        begun += len(whole)
        if blank > _MOST_BLANK:
            raise BadRequest(
                f"More than {_MOST_BLANK:,} lines are empty; lines before may have been recorded.",
                hint="Send one event per line. With your own ids you can safely send it again.",
            )
    if lines:
        yield numbers, lines


async def _lines(source: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    pending: list[bytes] = []  # joined when the line ends: a long one may come in many pieces
    size = 0
    async for piece in source:
        first, *more = piece.split(b"\n")
        pending.append(first)
        size += len(first)
        if more:
            *whole, last = more
            yield [b"".join(pending), *whole]
            pending, size = [last], len(last)
        if size > _LONGEST_LINE:
            raise InvalidPayload(
                f"A line is longer than {_LONGEST_LINE // 1024} KB; lines before it may have been recorded.",
                hint="Send one event per line. With your own ids you can safely send it again.",
            )
    if size:
        yield [b"".join(pending)]
