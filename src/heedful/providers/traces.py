"""OpenTelemetry: a span for every request, exported as its standard variables configure. Imported only if enabled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version

from heedful.errors import MissingExtra

try:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.propagate import extract
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind, StatusCode
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingExtra(
        "OTEL_… variables ask for traces, but OpenTelemetry is not installed.",
        hint="Install it: pip install 'heedful[traces]'; or unset the variables.",
    ) from error

Done = Callable[[str, int], None]


class Traces:
    def __init__(self) -> None:
        resource = Resource.create({"service.name": "heedful", "service.version": version("heedful")})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("heedful", version("heedful"))

    @contextmanager
    def request(self, method: str, headers: Sequence[tuple[bytes, bytes]]) -> Iterator[Done]:
        """A span that continues the caller's trace. It contains the route, never the path or a text."""
        carried = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        parent = extract({name: carried[name] for name in ("traceparent", "tracestate") if name in carried})
        with self._tracer.start_as_current_span(method, parent, SpanKind.SERVER) as span:

            def done(route: str, status: int) -> None:
                span.update_name(f"{method} {route}")
                span.set_attributes(
                    {"http.request.method": method, "http.route": route, "http.response.status_code": status}
                )
                if status >= 500:
                    span.set_status(StatusCode.ERROR)

            yield done

    def close(self) -> None:
        self._provider.shutdown()
