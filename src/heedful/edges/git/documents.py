"""Records as Markdown files, and rules read from such files.

Whatever a text or an id holds, a file stays in its folder, a value stays in its line of the front matter, and a text
stays in its fence. The front matter ends with a digest of the rest: a file whose digest fits is as it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple
from urllib.parse import quote

from heedful.errors import InvalidInput
from heedful.learnings import events
from heedful.learnings.rules import words_of
from heedful.records.event import Event
from heedful.records.learning import Status
from heedful.records.names import listed
from heedful.records.review import Classification, Edit, Review
from heedful.records.rule import Rule, RuleType, RuleWords
from heedful.text.checks import visible
from heedful.text.fence import markdown

DECISIONS, RULES, EDGE_CASES = FOLDERS = ("decisions", "rules", "edge_cases")

_LONGEST = 120  # characters of a file name
_SUSPENDED = "suspended"
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")  # what YAML does not take as it is
_TICKS = re.compile(r"`+")
_MARKUP = re.compile(r"[\\`*_\[\]<>&!|~]")
_DIGEST = re.compile(r'^digest: "([0-9a-f]{16})"\n', re.MULTILINE)
_FRONT = re.compile(r"\A---\n(.*?)^---$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_FENCE = re.compile(r"`{3,}+|~{3,}+")
_RULE, _WRONG, _RIGHT = "Rule", "Wrong", "Right"


class Document(NamedTuple):
    path: str
    text: str


class RuleStanding(NamedTuple):
    """Whether a rule is in force after some of its events."""

    status: str
    at: datetime
    why: str = ""
    replaced_by: str | None = None


_STATUSES = {
    events.ADOPTED: Status.ACTIVE.value,
    events.RESTORED: Status.ACTIVE.value,
    events.RETIRED: Status.RETIRED.value,
    events.SUPERSEDED: Status.SUPERSEDED.value,
    events.MERGED: Status.MERGED.value,
}
RULE_CHANGES = tuple(_STATUSES)
"""The kinds of events that change the file of a rule."""


def standing(history: Sequence[Event]) -> RuleStanding:
    """What the last event about its status says. The first one adopted the rule."""
    last = [event for event in history if event.kind in _STATUSES][-1]
    suspended = last.kind == events.RETIRED and last.meta.get("suspended") is True
    other = last.meta.get("by" if last.kind == events.SUPERSEDED else "into")
    return RuleStanding(
        _SUSPENDED if suspended else _STATUSES[last.kind],
        last.at,
        str(last.meta.get("why", "")),
        other if isinstance(other, str) and _STATUSES[last.kind] != Status.ACTIVE.value else None,
    )


# Places


def decision_path(id: str, at: datetime) -> str:
    return f"{DECISIONS}/{at.year:04}/{file_name(id)}"


def edge_case_path(id: str) -> str:
    return f"{EDGE_CASES}/{file_name(id)}"


def rule_path(id: str) -> str:
    return f"{RULES}/{file_name(id)}"


def file_name(id: str) -> str:
    """The id, with percent signs for all but letters, digits, `_`, `-`, `~` and inner dots. Different ids have
    different names: `%-`, which no such escape begins with, marks a long one that is cut."""
    name = quote(id, safe="", errors="replace")
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST // 2]}%-{blake2b(id.encode(errors='replace'), digest_size=16).hexdigest()}"
    return f"{name}.md"


# Rendering


def decision(review: Review) -> Document:
    found = review.evaluation
    facts = {
        "id": review.id,
        "kind": "decision",
        "at": review.at,
        "agent": review.agent,
        "decision": review.decision.value,
        "reviewer": review.reviewer,
        "gate": review.gate,
        "epic": review.epic,
        "task": review.task,
        "seconds": review.seconds,
        "tags": review.tags,
        "output_sha": review.output_sha,
        "approved_sha": review.approved_sha,
        "diff_path": review.diff_path,
        "classification": None if found is None else found.classification.value,
        "confidence": None if found is None else found.confidence,
        "evaluated_by": None if found is None else found.by,
        "action": None if found is None or found.action is None else found.action.type.value,
        "similar": () if found is None else found.similar,
    }
    path = decision_path(review.id, review.at)
    heading = review.decision.value.replace("_", " ").capitalize()
    return _document(
        path,
        facts,
        f"# {heading}",
        _about(review),
        *_section("## Comment", review.comment),
        *_section("## Changes", _diff(review.edits), "diff"),
        *_section("## Output", review.output.rstrip("\n")),
        *_section("## Approved", review.approved.rstrip("\n")),
        *(("## Evaluation", markdown(found.rationale)) if found is not None and found.rationale else ()),
    )


def edge_case(review: Review) -> Document | None:
    """None, unless the review was classified as one."""
    found = review.evaluation
    if found is None or found.classification is not Classification.EDGE_CASE:
        return None
    facts = {
        "id": review.id,
        "kind": "edge_case",
        "at": review.at,
        "agent": review.agent,
        "task": review.task,
        "tags": review.tags,
        "confidence": found.confidence,
    }
    return _document(
        edge_case_path(review.id),
        facts,
        "# Edge case",
        _about(review),
        *_section("## Comment", review.comment or review.summary),
        *(("## Why it is one", markdown(found.rationale)) if found.rationale else ()),
        _link(review.id, decision_path(review.id, review.at)),
    )


def rule(rule: Rule, now: RuleStanding, evidence: Mapping[str, datetime]) -> Document:
    """`evidence` has the times of the reviews that are still there."""
    facts = {
        "id": rule.id,
        "kind": "rule",
        "status": now.status,
        "since": now.at,
        "why": now.why,
        "replaced_by": now.replaced_by,
        "type": rule.category.value,
        "agents": list(rule.agents),
        "insertion_point": rule.insertion_point,
        "adopted": rule.at,
        "proposed_by": rule.actor,
        "approved_by": rule.approved_by,
        "proposal": rule.proposal,
        "evidence": [id for id in rule.evidence if id in evidence],
    }
    links = "\n".join(f"- {_link(id, decision_path(id, evidence[id]))}" for id in rule.evidence if id in evidence)
    return _document(
        rule_path(rule.id),
        facts,
        *_section(f"# {_RULE}", rule.text),
        *_section(f"## {_WRONG}", rule.before),
        *_section(f"## {_RIGHT}", rule.after),
        *(("## Evidence", links) if links else ()),
        "## To change it",
        "Edit the text, the example, or `type`, `agents` and `insertion_point`, and run `heedful mirror` again: it "
        "proposes the edited rule, which takes the place of this one when two people approve it.",
    )


def _document(path: str, facts: Mapping[str, Any], *blocks: str) -> Document:
    given = {name: value for name, value in facts.items() if value not in (None, "", ())}
    front = "".join(f"{name}: {_yaml(value)}\n" for name, value in given.items())
    body = "\n\n".join(blocks)
    digest = _digest(f"---\n{front}---\n\n{body}\n")
    return Document(path, f'---\n{front}digest: "{digest}"\n---\n\n{body}\n')


def _yaml(value: Any) -> str:
    """JSON on one line, which YAML reads the same way."""
    if isinstance(value, datetime):
        value = value.isoformat().replace("+00:00", "Z")
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _section(heading: str, text: str, language: str = "text") -> tuple[str, ...]:
    return (heading, _fenced(text, language)) if text else ()


def _fenced(text: str, language: str) -> str:
    """A fence that is longer than any within the text."""
    text = text if text.isascii() and text.replace("\n", "").isprintable() else visible(text)
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _diff(edits: Iterable[Edit]) -> str:
    def marked(mark: str, text: str) -> list[str]:
        return [f"{mark} {line}" for line in text.splitlines()]

    return "\n\n".join("\n".join([*marked("-", edit.before), *marked("+", edit.after)]) for edit in edits)


def _about(review: Review) -> str:
    facts = (review.agent, review.task and f"task {review.task}", review.gate, f"{review.at:%Y-%m-%d %H:%M} UTC")
    return markdown(" · ".join(fact for fact in facts if fact))


def _link(id: str, path: str) -> str:
    shown = _MARKUP.sub(r"\\\g<0>", visible(id))
    return f"[{shown}](../{quote(path)})"


# Reading


def is_own(content: bytes) -> bool:
    """Whether a file is as it was written, but for its line ends."""
    text = _decoded(content)
    if text is None:
        return False
    front = _FRONT.match(text)
    digest = None if front is None else _DIGEST.search(text, 0, front.end())
    return digest is not None and digest[1] == _digest(text[: digest.start()] + text[digest.end() :])


def is_beginning(content: bytes, whole: bytes) -> bool:
    """Whether a file was written only in part."""
    return whole.replace(b"\r\n", b"\n").startswith(content.replace(b"\r\n", b"\n"))


def has_own_name(path: str, content: bytes) -> bool:
    """Whether a file lies where it was written, so that it is no copy of somebody's."""
    facts = _facts(_decoded(content) or "")
    return isinstance(facts.get("id"), str) and path.rpartition("/")[2] == file_name(facts["id"])


def has_merge_conflict(content: bytes) -> bool:
    return b"\n<<<<<<< " in content and b"\n>>>>>>> " in content


def edited_words(content: bytes, rule: Rule) -> RuleWords | None:
    """What the edited file of a rule says; None if it cannot be read."""
    text = _decoded(content)
    if text is None:
        return None
    facts, parts = _facts(text), _parts(text)
    old = words_of(rule)
    said = parts.get(_RULE, "").strip()
    try:
        new = replace(
            old,
            text=said,
            type=RuleType.of(facts.get("type", old.type)),
            agents=tuple(sorted(listed(_names(facts.get("agents", old.agents)), "agents"))),
            insertion_point=facts.get("insertion_point", old.insertion_point),
            before=parts.get(_WRONG, ""),
            after=parts.get(_RIGHT, ""),
        )
    except InvalidInput:
        return None
    return new if said and isinstance(new.insertion_point, str) else None


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _facts(text: str) -> dict[str, Any]:
    front = _FRONT.match(text)
    lines = front[1].splitlines() if front is not None else ()
    pairs = (line.partition(":") for line in lines)
    return {name: _value(value.strip()) for name, colon, value in pairs if colon and name.isidentifier()}


def _value(text: str) -> Any:
    """People may write a value without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip("'\"")


def _names(value: Any) -> Any:
    """A list, also one without quotes: [coder, tester]."""
    if not isinstance(value, str):
        return value
    return [name.strip(" '\"") for name in value.strip("[]").split(",") if name.strip(" '\"")]


def _parts(text: str) -> dict[str, str]:
    """The text under each heading: in its first fence, or without one, all of it."""
    front = _FRONT.match(text)
    body = text[front.end() :] if front is not None else text
    plain: dict[str, list[str]] = {"": []}
    fenced: dict[str, list[str]] = {}
    heading, fence = "", ""
    inside: list[str] = []
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark[0].startswith(fence) and not line[mark.end() :].strip():
                fenced.setdefault(heading, inside)
                fence = ""
            else:
                inside.append(line)
        elif mark is not None and "`" not in line[mark.end() :]:
            fence, inside = mark[0], []
        elif (title := _HEADING.match(line)) is not None:
            heading = line[title.end() :].strip()
            plain.setdefault(heading, [])
        else:
            plain[heading].append(line)
    if fence:  # nobody closed it: it goes on to the end
        fenced.setdefault(heading, inside)
    return {name: "\n".join(lines).strip() for name, lines in plain.items()} | {
        name: "\n".join(lines) for name, lines in fenced.items()
    }
