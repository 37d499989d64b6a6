"""AGENTS.md: the section of approved learnings of a project, and what it would change in the current file."""

from __future__ import annotations

from starlette.routing import Route

from heedful.edges.web.learnings import projects
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import InvalidInput
from heedful.loop import Loop
from heedful.text.agents_file import has_section, updated
from heedful.text.checks import checked_text

_FILE = 200_000  # characters of a file that is compared


def routes(site: Site) -> list[Route]:
    return [Route("/agents-md", site.page(_preview)), Route("/agents-md", site.action(_compare), methods=["POST"])]


def _preview(loop: Loop, visit: Visit) -> View:
    return _view(loop, visit.query("about").strip())


def _compare(loop: Loop, visit: Visit) -> View:
    """Changes nothing: it is a form because files are long."""
    about, current = visit.form.text("about").strip(), visit.form.text("current")
    try:
        has_section(checked_text(current, "the file", _FILE, hint="Paste its section of heedful only."))
    except InvalidInput as error:
        return _view(loop, about, current, f"{error.message} {error.hint}", 422)
    return _view(loop, about, current)


def _view(loop: Loop, about: str, current: str = "", message: str = "", status: int = 200) -> View:
    section = loop.apply.agents_md(about=about or None)
    compared = bool(current.strip()) and not message
    values = {
        "about": about,
        "projects": projects(loop),
        "section": section,
        "current": current,
        "after": updated(current, section.text) if compared else "",
        "compared": compared,
        "message": message,
    }
    return View("agents_md", values, status)
