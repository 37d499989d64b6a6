"""How fast heedful is over HTTP, beside the same framework answering an empty request.

Real servers in processes of their own, real sockets, SQLite with full durability. The load comes from this process, on
the same two cores, so what is measured includes the cost of asking.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import orjson

_EMPTY = """
import uvicorn, socket, sys, json
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def nothing(request):
    return Response(await request.body(), 201, media_type="application/json")

app = Starlette(routes=[Route("/v1/events", nothing, methods=["POST"])])

listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
print(json.dumps({"url": "http://127.0.0.1:%d" % listener.getsockname()[1], "key": "none"}), flush=True)
uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).run(sockets=[listener])
"""


@contextmanager
def serving(command: list[str], environ: dict[str, str]) -> Iterator[tuple[str, int, str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environ})
    assert process.stdout is not None
    try:
        told = orjson.loads(process.stdout.readline())
        address = urlsplit(told["url"])
        assert address.hostname is not None
        assert address.port is not None
        key = told["key"] or Path(told["key_file"]).read_text(encoding="utf-8").strip()
        yield address.hostname, address.port, key
    finally:
        process.terminate()
        process.wait()


def request(host: str, key: str, body: bytes) -> bytes:
    head = (
        f"POST /v1/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def act(number: int) -> bytes:
    return orjson.dumps(
        {
            "kind": "EXTRACTION_LINE_CORRECTED",
            "actor": "dana",
            "entity": {"kind": "draft_line", "id": f"draft-{number:07}"},
            "layout": f"layout-{number % 40:02}",
            "before": {"qty": number % 50, "uom": "pcs"},
            "after": {"qty": number % 50 * 10, "uom": "pcs"},
        }
    )


async def one_client(address: tuple[str, int, str], count: int, empty: bool, latencies: list[float]) -> None:
    host, port, key = address
    reader, writer = await asyncio.open_connection(host, port)
    for number in range(count):
        begun = time.perf_counter()
        writer.write(request(host, key, b"{}" if empty else act(number)))
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 201"):
            raise RuntimeError(head.decode())
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length))
        latencies.append(time.perf_counter() - begun)
    writer.close()


async def singles(address: tuple[str, int, str], clients: int, count: int, *, empty: bool) -> tuple[float, list[float]]:
    await asyncio.gather(*(one_client(address, 20, empty, []) for _ in range(clients)))
    latencies: list[float] = []
    begun = time.perf_counter()
    await asyncio.gather(*(one_client(address, count // clients, empty, latencies) for _ in range(clients)))
    return count / (time.perf_counter() - begun), sorted(latencies)


async def batch(address: tuple[str, int, str], count: int) -> float:
    """As a client in any language would: one request, a chunk of lines at a time, then the answers."""
    host, port, key = address
    lines = [b"".join(act(n) + b"\n" for n in range(start, start + 500)) for start in range(0, count, 500)]
    reader, writer = await asyncio.open_connection(host, port)
    begun = time.perf_counter()
    writer.write(
        f"POST /v1/events:batch HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
    )
    for piece in lines:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    answer = await reader.read()
    seconds = time.perf_counter() - begun
    if b'"recorded":%d,"refused":0' % count not in answer:
        raise RuntimeError(answer[-300:].decode())
    return count / seconds


def show(name: str, rate: float, latencies: list[float]) -> None:
    p50, p99 = statistics.median(latencies), latencies[int(len(latencies) * 0.99)]
    print(f"  {name:<28} {rate:>8,.0f}/s   p50 {p50 * 1000:6.2f} ms   p99 {p99 * 1000:6.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--events", type=int, default=16_000)
    parser.add_argument("--batch", type=int, default=100_000)
    parser.add_argument("--passes", type=int, default=3)
    chosen = parser.parse_args()
    print(f"{chosen.clients} clients, {chosen.events:,} single posts, {chosen.passes} passes")
    with tempfile.TemporaryDirectory() as folder:
        environ = {"HEEDFUL_DATABASE": str(Path(folder) / "bench.db"), "HEEDFUL_RATE_LIMIT": "0"}
        serve = [sys.executable, "-m", "heedful", "serve", "--port", "0", "--json", "--log", "none"]
        with serving([sys.executable, "-c", _EMPTY], {}) as empty, serving(serve, environ) as heedful:
            for _ in range(chosen.passes):
                bare = asyncio.run(singles(empty, chosen.clients, chosen.events, empty=True))
                real = asyncio.run(singles(heedful, chosen.clients, chosen.events, empty=False))
                show("Starlette, an empty request", *bare)
                show("heedful, an event on disk", *real)
                print(f"  {'heedful / empty':<28} {real[0] / bare[0]:>8.2f}x")
            for _ in range(chosen.passes):
                rate = asyncio.run(batch(heedful, chosen.batch))
                print(f"  {'heedful, batch':<28} {rate:>8,.0f}/s   {chosen.batch:,} events in one request")


if __name__ == "__main__":
    main()
