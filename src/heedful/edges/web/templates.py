"""HTML templates."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from heedful import __version__

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


_QUOTED = re.compile("`([^`]+)`")
_CODE = Markup("<code>{}</code>")


class Templates:
    def __init__(self) -> None:
        folder = files(__package__ or "") / "pages"
        sources = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
        self._pages = Environment(loader=DictLoader(sources), autoescape=True, trim_blocks=True, lstrip_blocks=True)
        self._pages.filters["prose"] = _prose

    def show(self, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        text = self._pages.get_template(f"{name}.html").render(version=__version__, **values)
        return HTMLResponse(text, status, {"Content-Security-Policy": _POLICY})


def _prose(text: str) -> Markup:
    parts = _QUOTED.split(text)  # every other part was in backticks
    return Markup("").join(_CODE.format(part) if place % 2 else escape(part) for place, part in enumerate(parts))
