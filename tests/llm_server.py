"""A real HTTP server in the place of a provider's, which answers each request as it was told to, faults included."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What is sent back. JSON, unless it is bytes."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class Silence:
    """No answer, until the test is over."""


class Drip:
    """A byte now and then, without end."""


class BrokenOff:
    """Half of the body, then a reset of the connection."""


Step = Reply | Silence | Drip | BrokenOff


class LlmServer:
    def __init__(self, url: str) -> None:
        self.url = url
        self.received: list[Received] = []
        self.over = threading.Event()
        self._steps: list[Step] = []
        self._respond: Callable[[Received], Step] | None = None
        self._lock = threading.Lock()

    def will(self, *steps: Step) -> None:
        """Answer the next requests so, one after another."""
        self._steps += steps

    def respond(self, respond: Callable[[Received], Step]) -> None:
        """Answer whatever comes as the callable says, when there are no steps left."""
        self._respond = respond

    def next(self, received: Received) -> Step:
        with self._lock:
            self.received.append(received)
            if self._steps:
                return self._steps.pop(0)
        return self._respond(received) if self._respond else Reply({"error": {"code": "nothing_scripted"}}, 418)


@contextmanager
def llm_server() -> Iterator[LlmServer]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    server = LlmServer(f"http://127.0.0.1:{http.server_address[1]}")
    http.llm = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        http.shutdown()
        thread.join()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server: LlmServer = self.server.llm  # type: ignore[attr-defined]
        step = server.next(Received(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        match step:
            case Reply():
                self._reply(step)
            case Silence():
                server.over.wait()
                self.close_connection = True
            case Drip():
                self._drip(server.over)
            case BrokenOff():
                self._break_off()

    def _reply(self, reply: Reply) -> None:
        sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"content-type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _drip(self, over: threading.Event) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000000")
        self.end_headers()
        self.close_connection = True
        try:
            while not over.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()
        except OSError:
            pass  # the client has had enough

    def _break_off(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.wfile.flush()
        self.close_connection = True
        # A reset, not an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def chat(text: str | None, *, finish: str = "stop", refusal: str | None = None, tokens: int | None = 30) -> Reply:
    """As OpenAI's chat completions answer."""
    usage = None if tokens is None else {"prompt_tokens": tokens - 10, "completion_tokens": 10, "total_tokens": tokens}
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return Reply(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "small-2026",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }
    )


def message(text: str, *, stop: str = "end_turn", tokens: int | None = 30) -> Reply:
    """As Anthropic's messages answer, with a thought before it."""
    usage = None if tokens is None else {"input_tokens": tokens - 10, "output_tokens": 10}
    return Reply(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "small-2026",
            "content": [
                {"type": "thinking", "thinking": '{"not": "this"}', "signature": "x"},
                {"type": "text", "text": text},
            ],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
    )


def chat_stream(text: str) -> Reply:
    """As OpenAI's chat completions answer, in pieces."""

    def chunk(**delta: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": None if delta else "stop"}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": [choice]}

    return _events([chunk(content=text[:9]), chunk(content=text[9:]), chunk(), "[DONE]"])


def message_stream(text: str) -> Reply:
    """As Anthropic's messages answer, in pieces."""
    start = {
        **message("").body, "id": "msg_2", "content": [], "stop_reason": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    parts = [{"type": "text_delta", "text": part} for part in (text[:9], text[9:])]
    return _events(
        [
            {"type": "message_start", "message": start},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": part} for part in parts),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]
    )


def response_stream(*events: dict[str, Any]) -> Reply:
    """As OpenAI's responses answer, in pieces."""
    return _events([{"sequence_number": number, **event} for number, event in enumerate(events)])


def _events(sent: Sequence[dict[str, Any] | str]) -> Reply:
    """Server-sent events."""
    lines = []
    for one in sent:
        name = f"event: {one['type']}\n" if isinstance(one, dict) and "type" in one else ""
        lines.append(f"{name}data: {one if isinstance(one, str) else json.dumps(one)}\n\n")
    return Reply("".join(lines).encode(), headers={"content-type": "text/event-stream"})


def embeddings(rows: list[list[float]]) -> Reply:
    """As OpenAI's embeddings answer, in no order."""
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    return Reply({"object": "list", "model": "small-2026", "data": data[::-1], "usage": {"total_tokens": 5}})


def problem(status: int, code: str, text: str = "", **headers: str) -> Reply:
    """An error, as both of them write it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply({"type": "error", "error": {"type": code, "code": code, "message": text}}, status, named)
