"""HTML templates, and the words and times in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from heedful import __version__
from heedful.edges.web import times
from heedful.edges.web.assets import Assets
from heedful.edges.web.diff import diff
from heedful.edges.web.learnings import content_parts, sure

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_QUOTED = re.compile("`([^`]+)`")
_CODE = Markup("<code>{}</code>")
_TIME = Markup('<time datetime="{}" title="{}">{}</time>')


class Templates:
    def __init__(self, assets: Assets) -> None:
        folder = files(__package__ or "") / "pages"
        sources = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
        self._pages = Environment(
            loader=DictLoader(sources),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,  # a misspelt name is a mistake, not an empty text
        )
        self._pages.globals |= {
            "asset": assets.address,
            "version": __version__,
            "diff": diff,
            "content_parts": content_parts,
            "sure": sure,
        }
        self._pages.filters |= {
            "prose": _prose,
            "when": _when,
            "plain": _plain,
            "counted": _counted,
            "sentence": _sentence,
        }

    def show(self, template: str, /, *, status: int = 200, signed_in: bool = False, **values: Any) -> HTMLResponse:
        shared: Mapping[str, Any] = {"visit": None, "waiting": None, "signed_in": signed_in}
        text = self._pages.get_template(f"{template}.html").render({**shared, **values})
        return HTMLResponse(text, status, {"Content-Security-Policy": _POLICY})


def _prose(text: str) -> Markup:
    parts = _QUOTED.split(text)  # every other part was in backticks
    return Markup("").join(_CODE.format(part) if place % 2 else escape(part) for place, part in enumerate(parts))


@pass_context
def _when(context: Context, time: Any) -> Markup:
    """How long ago or until when, with the exact time for whoever points at it."""
    return _TIME.format(time.isoformat(), times.exact(time), times.relative(time, context["now"]))


def _plain(value: object) -> str:
    """`APPROVED_WITH_CHANGES` in words."""
    return str(value).replace("_", " ").capitalize()


def _sentence(text: str) -> str:
    """Begins with a capital, and is otherwise unchanged."""
    return text[:1].upper() + text[1:]


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
