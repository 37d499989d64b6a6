"""What people do with a learning: rate, approve, edit, retire, restore and delete it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web import learning_page
from heedful.edges.web.site import Form, Site, View, Visit, own_address
from heedful.errors import Conflict, InvalidInput
from heedful.loop import Loop
from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.learnings import AnyLearning

_WORDS = ("wrong", "right", "understood", "fixed", "why")
Act = Callable[[Loop, str, Form], object]


def routes(site: Site) -> list[Route]:
    return [
        Route(f"/learnings/{name}", site.action(partial(_act, name, act)), methods=["POST"])
        for name, act in _ACTS.items()
    ]


def _act(name: str, act: Act, loop: Loop, visit: Visit) -> View | Response:
    id, form = visit.form.text("id"), visit.form
    try:
        act(loop, id, form)
    except (Conflict, InvalidInput) as error:
        return _refused(loop, visit, id, name, error)
    back = own_address(form.text("back")) if "back" in form else f"/learnings/{quote(id)}"
    if name == "delete":
        back = back if "back" in form else "/learnings"
    return RedirectResponse(f"{back}?done={name}", 303)


def _refused(loop: Loop, visit: Visit, id: str, name: str, error: Conflict | InvalidInput) -> View:
    """The learning as it is now, with what the person typed."""
    one = loop.govern.learnings.get(id)
    stale = name == "approve" and one.digest != visit.form.text("digest")
    told = "Its words were changed after you opened them. Read them again, then approve them."
    typed = edited_fields(one, visit.form) if name == "edit" else None
    message = told if stale else f"{error.message} {error.hint}"
    return learning_page.alone(loop, visit, id, message, typed, 409 if isinstance(error, Conflict) else 422)


def edited_fields(one: AnyLearning, form: Form) -> dict[str, Any]:
    """What the form says, as an edit takes it."""
    shared: dict[str, Any] = {"about": form.text("about").strip()}
    if isinstance(one, Correction):
        words = {name: form.text(name).strip() if name in form else getattr(one, name) for name in _WORDS}
        audience = form.text("audience") or one.audience.value
        return {**shared, **words, "always": "always" in form, "audience": audience}
    if isinstance(one, Insight):
        content = {name: form.text(f"part-{name}").strip() for name in one.content if f"part-{name}" in form}
        return {**shared, "title": form.text("title").strip(), "content": content, "tags": form.words("tags")}
    raise InvalidInput(f"The words of a {one.kind} cannot be edited here.", hint="Retire it instead.")


def _changed(one: AnyLearning, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without what stays: new words would remove the sentence that was put right."""
    now = {name: value.strip() if isinstance(value := getattr(one, name), str) else value for name in fields}
    now |= {"about": one.about or ""}
    if isinstance(one, Insight):
        now |= {"tags": list(one.tags), "content": {name: one.content[name] for name in fields["content"]}}
    return {name: value for name, value in fields.items() if value != now[name]}


def _edit(loop: Loop, id: str, form: Form) -> None:
    one = loop.govern.learnings.get(id)
    if changed := _changed(one, edited_fields(one, form)):
        loop.govern.learnings.edit(id, **changed)


def _rate(loop: Loop, id: str, form: Form) -> None:
    loop.govern.learnings.rate(id, up=form.text("up") == "yes")


def _approve(loop: Loop, id: str, form: Form) -> None:
    loop.govern.learnings.approve(id, digest=form.word("digest"))


def _retire(loop: Loop, id: str, form: Form) -> None:
    loop.govern.learnings.retire(id, why=form.word("why"))


_ACTS: Mapping[str, Act] = {
    "edit": _edit,
    "rate": _rate,
    "approve": _approve,
    "unapprove": lambda loop, learning, _: loop.govern.learnings.unapprove(learning),
    "retire": _retire,
    "restore": lambda loop, learning, _: loop.govern.learnings.restore(learning),
    "delete": lambda loop, learning, _: loop.govern.learnings.delete(learning),
}
