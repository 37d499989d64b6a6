"""The section of an agent file (AGENTS.md, CLAUDE.md): approved learnings as Markdown between two markers."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.learnings.kind import Relation
from heedful.learnings.kinds import KINDS
from heedful.learnings.kinds.insight import INSIGHT
from heedful.records.context import AgentsSection
from heedful.records.insight import Insight
from heedful.records.learning import Learning
from heedful.records.rule import Rule
from heedful.text.fence import BEGIN, END, markdown
from heedful.text.terms import terms

TITLE = "Learned from earlier work"
_NOTE = "Approved by people, written by `heedful learnings write`: change it with `heedful learnings edit`."
_NOTHING = "Nothing is approved yet."
_HEADINGS = tuple(dict.fromkeys(one for kind in (INSIGHT, *KINDS.values()) for one in kind.headings.values()))
_EMPHASIS = frozenset(terms("always never ever"))
_COMPARED = 0.5  # the share of terms that two have in common, below which they speak of different things


def section(learnings: Sequence[Learning], elsewhere: Sequence[str] = ()) -> AgentsSection:
    """Grouped under a few headings, oldest first: what is new comes last, so that a change is a few lines."""
    groups: dict[str, list[Learning]] = {heading: [] for heading in _HEADINGS}
    for one in _distinct(learnings):
        groups[KINDS[one.kind].heading(one)].append(one)
    lines = [BEGIN, f"## {TITLE}", "", _NOTE]
    for heading, group in groups.items():
        if group:
            lines += ["", f"### {heading}", "", *(line for one in group for line in _bullet(one))]
    if not learnings:
        lines += ["", _NOTHING]
    ids = tuple(one.id for group in groups.values() for one in group)
    return AgentsSection("\n".join((*lines, END)), ids, tuple(elsewhere))


def _bullet(learning: Learning) -> list[str]:
    first, *more = map(markdown, KINDS[learning.kind].bullet(learning))
    return [f"- {first}", *(f"  {line}" for line in more)]


def _distinct(learnings: Sequence[Learning]) -> list[Learning]:
    """Each statement once, the fuller one, and of two that contradict each other the newer one."""
    kept: list[_Statement] = []
    for one in sorted(learnings, key=lambda one: (one.at, one.id)):
        new = _Statement(one)
        near = [old for old in kept if old.is_near(new)]
        if any(new.is_said_by(old) and not new.is_fuller(old) for old in near):
            continue
        kept = [old for old in kept if old not in near or not (new.replaces(old) or new.is_said_by(old))]
        kept.append(new)
    return [one.learning for one in kept]


def _sentence(learning: Learning) -> str:
    """Corrections, mappings and counted patterns are compared when they are recorded, and are not sentences."""
    if isinstance(learning, Insight):
        return learning.title
    return learning.text if isinstance(learning, Rule) else ""


class _Statement:
    def __init__(self, learning: Learning) -> None:
        self.learning = learning
        self.text = _sentence(learning)
        self._terms = frozenset(terms(self.text))

    def is_near(self, other: _Statement) -> bool:
        shared = 2 * len(self._terms & other._terms)
        return shared > 0 and shared >= _COMPARED * (len(self._terms) + len(other._terms))

    def is_said_by(self, old: _Statement) -> bool:
        """The same words, or the beginning of them; always and never do not count, unless they turn it around."""
        from heedful.text.contradictions import contrast  # noqa: PLC0415 - its patterns take 16 ms to compile

        if old._begins_with(self) or self._relation(old) is Relation.SAME:
            return True
        same = self._terms - _EMPHASIS == old._terms - _EMPHASIS
        return same and contrast(self.text, old.text) is None

    def is_fuller(self, old: _Statement) -> bool:
        return len(self._terms - _EMPHASIS) > len(old._terms - _EMPHASIS)

    def replaces(self, old: _Statement) -> bool:
        """It says more, or the contrary, and not of another project."""
        places = {self.learning.about, old.learning.about}
        apart = len(places) > 1 and None not in places
        return self._begins_with(old) or (not apart and self._relation(old) is Relation.CONTRARY)

    def _begins_with(self, other: _Statement) -> bool:
        """A ban that goes on without a pause bans less: `never push to main on Fridays`."""
        from heedful.text.contradictions import negates  # noqa: PLC0415 - its patterns take 16 ms to compile

        ours, theirs = self.text.casefold().rstrip(" ."), other.text.casefold().rstrip(" .")
        rest = ours[len(theirs) :]
        if not ours.startswith(theirs) or rest[:1].isalnum():
            return False
        return not rest[1:2].isalnum() or not negates(other.text)

    def _relation(self, old: _Statement) -> Relation:
        from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - its patterns take 16 ms to compile

        ours, theirs = (Statement(one.learning.category, one.text, "") for one in (self, old))
        return compared(ours, theirs, None).relation
