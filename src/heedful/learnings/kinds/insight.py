"""Insights: what a conversation taught, with quotes as evidence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.content import content_text, core_text, essence, labelled_text, read_content, statement, told
from heedful.learnings.events import EXTRACTED
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Relation, Rendering
from heedful.learnings.row import LearningRow
from heedful.learnings.signatures import Signature, signature
from heedful.learnings.standing_alone import StandingAlone
from heedful.records.event import Event
from heedful.records.insight import Factors, Finding, Insight, InsightCategory, InsightContent, Proof, Quote
from heedful.records.learning import Learning
from heedful.records.transcript import Speaker
from heedful.text.commands import commands
from heedful.text.normalize import normal
from heedful.text.orders import is_order
from heedful.text.project import speaks_of_its_project
from heedful.text.terms import terms

_RULE = "rule"
_READ_FIRST = 200  # characters of a text in a prompt, which may be cut off later
_REMEDIES = ("fix", "better", "change", "how")
_GIST_LIMIT = 400  # characters: enough to know what it is about, and the time grows with length

_BY_LIKENESS = ("meaning", "phrases")
_TROUBLES = frozenset({InsightCategory.BUG_FIX, InsightCategory.OPTIMIZATION, InsightCategory.TOOL_USAGE})
"""Categories of findings that have a cause."""
_HALF_LIFE = {
    InsightCategory.BUG_FIX: timedelta(days=270),
    InsightCategory.TOOL_USAGE: timedelta(days=270),
    InsightCategory.OPTIMIZATION: timedelta(days=365),
    InsightCategory.DECISION: timedelta(days=365),
    InsightCategory.WORKFLOW: timedelta(days=365),
    InsightCategory.PATTERN: timedelta(days=540),
    InsightCategory.BEST_PRACTICE: timedelta(days=540),
    InsightCategory.ANTI_PATTERN: timedelta(days=540),
}
_RULES, _FACTS, _COMMANDS, _BUGS = "Rules", "Project facts", "Commands and workflow", "Known bugs"
_HEADINGS: dict[str, str] = {
    InsightCategory.BEST_PRACTICE: _RULES,
    InsightCategory.ANTI_PATTERN: _RULES,
    InsightCategory.PATTERN: _FACTS,
    InsightCategory.OPTIMIZATION: _FACTS,
    InsightCategory.DECISION: "Decisions",
    InsightCategory.WORKFLOW: _COMMANDS,
    InsightCategory.TOOL_USAGE: _COMMANDS,
    InsightCategory.BUG_FIX: _BUGS,
}


class InsightWording(NamedTuple):
    title: str = ""
    content: InsightContent = MappingProxyType({})
    tags: tuple[str, ...] = ()

    def terms(self) -> list[str]:
        """The title counts twice: it is usually in the content as well."""
        return [*terms(self.title), *self.own_terms(), *terms(" ".join(self.tags))]

    def own_terms(self) -> list[str]:
        return terms(f"{self.title}\n{content_text(self.content)}")

    def core(self) -> str:
        """The statement without its circumstances, which differ each time."""
        return core_text(self.content)

    def finding(self) -> Finding:
        """What went wrong and why, and what was done about it."""
        cause = self.content.get("cause") or self.content.get("what") or self.title
        return Finding(cause, next((self.content[name] for name in _REMEDIES if self.content.get(name)), ""))

    def gist(self) -> str:
        return f"{self.title}. {' '.join(self.core().split())}"[:_GIST_LIMIT]


class InsightKind(LearningKind[InsightWording]):
    name = "insight"
    begun_by = EXTRACTED
    categories = InsightCategory
    fields = frozenset({"title", "content", "tags"})
    moves = frozenset({"about"})
    headings = _HEADINGS
    initial_confidence = 0.6  # less would not have been stored
    confirmation = 0.25
    shareable = True

    def wording(self, event: Event) -> InsightWording | None:
        after = event.after
        title, content, tags = after.get("title"), read_content(after.get("content")), after.get("tags")
        if not (isinstance(title, str) and title and content):
            return None
        listed = tags if isinstance(tags, list) else []
        return InsightWording(title, content, tuple(tag for tag in listed if isinstance(tag, str)))

    def scope(self, event: Event) -> str | None:
        project = event.meta.get("project")
        return project if isinstance(project, str) else None

    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:
        words = self.words_of(row)
        parts = {**words.content, **changes.get("content", {})}
        if (
            "title" in changes
            and "what" not in changes.get("content", {})
            and _says(parts.get("what", ""), words.title)
        ):
            first = self.words_of(row._replace(last=row.first))  # prompts would go on to say the old one
            parts["what"] = first.content.get("what", "") if changes["title"] == first.title else changes["title"]
        words = words._replace(**{**changes, "content": read_content(parts)})
        return LearningEdit(words, {}, _payload(words), {"category": category})

    def exported(self, learning: Insight) -> dict[str, Any]:
        return {**super().exported(learning), "tags": list(learning.tags), "rule": learning.rule}

    def begins(self, given: Mapping[str, Any], about: str | None) -> LearningEdit:
        words = InsightWording(given["title"], read_content(given["content"]), given["tags"])
        meta = {"rule": True if given.get("rule") is True else None, "project": about}
        return LearningEdit(words, {}, _payload(words), meta)

    def signature(self, category: str, words: InsightWording, scope: str | None) -> Signature:
        return signature(category, words.title, words.core(), of=scope if self.is_bound(words) else None)

    def compare(
        self, new: InsightWording, old: InsightWording, categories: tuple[str, str], cosine: float | None
    ) -> LearningComparison:
        from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - its patterns take 16 ms to compile

        ours = Statement(categories[0], new.title, new.core())
        found = compared(ours, Statement(categories[1], old.title, old.core()), cosine)
        if found.relation is Relation.SAME and found.layer in _BY_LIKENESS:
            from heedful.learnings.causes import have_other_remedies  # noqa: PLC0415 - as above

            if have_other_remedies(new.finding(), old.finding()):
                return LearningComparison(
                    Relation.DIFFERENT, found.layer, found.similarity, "They were mended otherwise."
                )
        return found

    def have_one_cause(
        self, new: InsightWording, old: InsightWording, categories: tuple[str, str], cosine: float | None
    ) -> bool:
        """Whether two findings probably have one cause. Only people can tell `unlimited` from `limited to one`."""
        from heedful.learnings.causes import have_one_cause  # noqa: PLC0415 - as above

        return _TROUBLES.issuperset(categories) and have_one_cause(new.finding(), old.finding(), cosine)

    def is_bound(self, words: InsightWording) -> bool:
        return speaks_of_its_project(f"{words.title}\n{words.core()}")

    def heading(self, learning: Insight) -> str:
        """The category of what a person said is often a guess. An order is a rule, unless it is about a command, and
        what is so is no bug."""
        heading = self.headings[learning.category]
        if not (learning.rule and is_order(learning.title)):
            return _FACTS if learning.rule and heading == _BUGS else heading
        about_a_command = heading == _COMMANDS and any(True for _ in commands(learning.title))
        return heading if about_a_command else _RULES

    def half_life(self, learning: Learning) -> timedelta | None:
        """A learning that a person approved, or requested as a rule, does not expire by itself."""
        assert isinstance(learning, Insight)
        return None if learning.approved or learning.rule else _HALF_LIFE[learning.category]

    def record(self, row: LearningRow) -> Insight:
        words, began, said = self.words_of(row), row.first.meta, row.last.meta
        return Insight(
            **self.shared_fields(row),
            title=words.title,
            content=words.content,
            tags=words.tags,
            rule=began.get("rule") is True,
            conversation=row.first.entity.id if row.first.entity is not None else "",
            factors=_factors(said.get("factors") or began.get("factors")),
            quotes=quotes_of(began),
            summary=str(began.get("summary", "")),
            extracted_by=str(began.get("by", "local")),
            extraction=str(began.get("extraction", "")),
        )

    def render(self, learning: Insight) -> Rendering:
        label = _RULE if learning.rule else learning.category.value.replace("_", " ")
        text = labelled_text(told(learning))
        said = normal(learning.title).rstrip(" .…") in normal(text[:_READ_FIRST])
        return Rendering(label, text if said else f"{learning.title}. {text}".rstrip(" ."))

    def said(self, learning: Insight) -> InsightWording:
        return InsightWording(learning.title, learning.content, learning.tags)

    def statement(self, learning: Insight) -> str:
        core = core_text(learning.content)
        return core if core.startswith(learning.title) else f"{learning.title}\n{core}"

    def bullet(self, learning: Insight, alone: StandingAlone | None = None) -> list[str]:  # noqa: ARG002
        return [_warning(learning, statement(learning)), *essence(learning)]


INSIGHT = InsightKind()


def proof_of(row: LearningRow) -> Proof:
    """The conversation it was learned in."""
    meta, entity = row.first.meta, row.first.entity
    conversation = entity.id if entity is not None else ""
    contributor = row.state.contributor
    return Proof(row.state.id, conversation, row.first.at, contributor, quotes_of(meta), str(meta.get("summary", "")))


def quotes_of(meta: Mapping[str, Any]) -> tuple[Quote, ...]:
    found = meta.get("quotes")
    quotes = found if isinstance(found, list) else []
    return tuple(
        Quote(str(one[0]), Speaker(one[1]), str(one[2]))
        for one in quotes
        if isinstance(one, list) and len(one) == len(Quote.__slots__) and one[1] in set(Speaker)
    )


def _warning(learning: Insight, said: str) -> str:
    """What to avoid may be named without a no, and would read like advice. People's own words say what they want."""
    if learning.rule or learning.category is not InsightCategory.ANTI_PATTERN:
        return said
    from heedful.text.contradictions import negates  # noqa: PLC0415 - its patterns take 16 ms to compile

    return said if negates(said) else f"Avoid: {said}"


def _payload(words: InsightWording) -> dict[str, Any]:
    if not (words.title and words.content):
        raise InvalidInput("A learning cannot be empty.", hint="To remove it, retire or delete it.")
    return {"title": words.title, "content": dict(words.content), "tags": list(words.tags)}


def _factors(values: object) -> Factors | None:
    if not isinstance(values, list) or len(values) != len(Factors.__slots__):
        return None
    return Factors(*map(float, values)) if all(isinstance(value, int | float) for value in values) else None


def _says(text: str, title: str) -> bool:
    return " ".join(title.split()).casefold() in " ".join(text.split()).casefold()
