"""The section of an agent file (AGENTS.md, CLAUDE.md): approved learnings as Markdown between two markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from heedful.learnings.kind import Relation
from heedful.learnings.kinds import KINDS
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.standing_alone import StandingAlone
from heedful.records.context import AgentsSection
from heedful.records.correction import Correction
from heedful.records.embedding import Embedder, meanings
from heedful.records.insight import Insight
from heedful.records.learning import Learning
from heedful.records.reading import Reader
from heedful.records.rule import Rule
from heedful.text.fence import BEGIN, END, markdown
from heedful.text.redaction import PLACEHOLDER
from heedful.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TITLE = "Learned from earlier work"
_NOTE = "Approved by people, written by `heedful learnings write`: change it with `heedful learnings edit`."
_NOTHING = "Nothing is approved yet."
_HEADINGS = tuple(dict.fromkeys(one for kind in (INSIGHT, *KINDS.values()) for one in kind.headings.values()))
_EMPHASIS = frozenset(terms("always never ever"))
_COMPARED = 0.5  # the share of terms that two have in common, below which they speak of different things


def section(
    learnings: Sequence[Learning],
    elsewhere: Sequence[str] = (),
    reader: Reader | None = None,
    embedder: Embedder | None = None,
) -> AgentsSection:
    """Grouped under a few headings, oldest first: what is new comes last, so that a change is a few lines."""
    alone = None if reader is None else StandingAlone(reader)
    written = [_Statement(one, KINDS[one.kind].bullet(one, alone)) for one in _by_age(learnings)]
    groups: dict[str, list[_Statement]] = {heading: [] for heading in _HEADINGS}
    for said in _distinct([one for one in written if one.bullet], _Likeness(embedder)):
        groups[KINDS[said.learning.kind].heading(said.learning)].append(said)
    lines = [BEGIN, f"## {TITLE}", "", _NOTE]
    for heading, group in groups.items():
        if group:
            lines += ["", f"### {heading}", "", *(line for one in group for line in one.lines())]
    told = [one for group in groups.values() for one in group]
    ids = tuple(one.learning.id for one in told)
    if not ids:
        lines += ["", _NOTHING]
    left_out = tuple(one.learning.id for one in written if not one.bullet)
    redacted = tuple(one.learning.id for one in told if any(map(PLACEHOLDER.search, one.bullet)))
    return AgentsSection("\n".join((*lines, END)), ids, tuple(elsewhere), left_out, redacted)


def _by_age(learnings: Sequence[Learning]) -> list[Learning]:
    return sorted(learnings, key=lambda one: (one.at, one.id))


def _distinct(written: Sequence[_Statement], likeness: _Likeness) -> list[_Statement]:
    """Each statement once, of whatever kind it is: the fuller one, and of two that contradict each other the newer."""
    kept: list[_Statement] = []
    for new in written:
        near = [old for old in kept if old.is_near(new)]
        relations = {old: likeness.relation(new, old) for old in near}
        if any(new.is_said_by(old, relations[old]) and not new.is_fuller(old) for old in near):
            continue
        gone = {old for old in near if new.replaces(old, relations[old]) or new.is_said_by(old, relations[old])}
        kept = [old for old in kept if old not in gone]
        kept.append(new)
    return kept


class _Likeness:
    """Compares statements by their words, and by their meaning if there is an embedder that answers."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32] | None] = {}

    def relation(self, new: _Statement, old: _Statement) -> Relation:
        from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - its patterns take 16 ms to compile

        ours, theirs = (Statement(one.learning.category, one.text, "") for one in (new, old))
        return compared(ours, theirs, self._cosine(new.text, old.text)).relation

    def _cosine(self, one: str, other: str) -> float | None:
        first, second = self._vector(one), self._vector(other)
        return None if first is None or second is None else float(first @ second)

    def _vector(self, text: str) -> NDArray[np.float32] | None:
        if self._embedder is not None and text not in self._vectors:
            found = meanings(self._embedder, [text])
            self._vectors[text] = found[0].vector if found else None
        return self._vectors.get(text)


class _Statement:
    def __init__(self, learning: Learning, bullet: list[str]) -> None:
        self.learning = learning
        self.bullet = bullet
        self.text = _sentence(learning, bullet)
        self._terms = frozenset(terms(self.text))

    def lines(self) -> list[str]:
        first, *more = map(markdown, self.bullet)
        return [f"- {first}", *(f"  {line}" for line in more)]

    def is_near(self, other: _Statement) -> bool:
        shared = len(self._terms & other._terms)
        whole = shared == min(len(self._terms), len(other._terms))
        return shared > 0 and (whole or 2 * shared >= _COMPARED * (len(self._terms) + len(other._terms)))

    def is_said_by(self, old: _Statement, relation: Relation) -> bool:
        """The same words, or the beginning of them; always and never do not count, unless they turn it around."""
        from heedful.text.contradictions import contrast  # noqa: PLC0415 - its patterns take 16 ms to compile

        if old._begins_with(self) or relation is Relation.SAME:
            return True
        same = self._terms - _EMPHASIS == old._terms - _EMPHASIS
        return same and contrast(self.text, old.text) is None

    def is_fuller(self, old: _Statement) -> bool:
        return len(self._terms - _EMPHASIS) > len(old._terms - _EMPHASIS)

    def replaces(self, old: _Statement, relation: Relation) -> bool:
        """It says more, or the contrary, and not of another project."""
        places = {self.learning.about, old.learning.about}
        apart = len(places) > 1 and None not in places
        return self._begins_with(old) or (not apart and relation is Relation.CONTRARY)

    def _begins_with(self, other: _Statement) -> bool:
        """A ban that goes on without a pause bans less: `never push to main on Fridays`."""
        from heedful.text.contradictions import negates  # noqa: PLC0415 - its patterns take 16 ms to compile

        ours, theirs = self.text.casefold().rstrip(" ."), other.text.casefold().rstrip(" .")
        rest = ours[len(theirs) :]
        if not ours.startswith(theirs) or rest[:1].isalnum():
            return False
        return not rest[1:2].isalnum() or not negates(other.text)


def _sentence(learning: Learning, bullet: list[str]) -> str:
    """What it states. Mappings, remarks and counted patterns are compared when they are recorded, and are not
    sentences."""
    if isinstance(learning, Insight):
        return learning.title
    if isinstance(learning, Rule):
        return learning.text
    return bullet[0] if isinstance(learning, Correction) and bullet else ""
