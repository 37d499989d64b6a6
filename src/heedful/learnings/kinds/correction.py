"""Corrections: what was wrong with an output, and what is right instead."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.content import clauses
from heedful.learnings.events import READ_BY, REPORTED
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Relation, Rendering
from heedful.learnings.row import LearningRow
from heedful.learnings.standing_alone import StandingAlone
from heedful.records.correction import OPENING_LIMIT, Category, Correction
from heedful.records.embedding import ASPECTS
from heedful.records.event import Event
from heedful.records.learning import Learning
from heedful.text.adherence import adherence
from heedful.text.articles import with_articles
from heedful.text.checks import clipped
from heedful.text.fence import quoted
from heedful.text.grammar import put_right
from heedful.text.normalize import composed, normal
from heedful.text.orders import is_order
from heedful.text.pointing import points
from heedful.text.subjects import is_other_subject, is_wording
from heedful.text.terms import terms
from heedful.text.words import ALWAYS, NEGATIONS

_EDGES = " .,;:!?\"'`«»“”‘’()"
_DOUBT = 0.5  # of a term: a single one in common may be chance
_LONG = 300  # characters of a text in a prompt or a file
_LEAD = 1  # a word of a message that carries nothing, such as `actually`

_HALF_LIFE = {
    Category.CODE: timedelta(days=120),
    Category.FACTUAL: timedelta(days=180),
    Category.LOGIC: timedelta(days=180),
    Category.DOMAIN: timedelta(days=365),
    Category.STYLE: timedelta(days=365),
    Category.PREFERENCE: timedelta(days=365),
}
_ABOUT_WORDS = (Category.STYLE, Category.PREFERENCE, Category.DOMAIN)
_WISHES = (Category.STYLE, Category.PREFERENCE)
_DIFFERENT = LearningComparison(Relation.DIFFERENT)
_HEADINGS: dict[str, str] = dict.fromkeys(Category, "Corrections")


def opening_of(output: str, sentence: str) -> str:
    """How an output began; empty if the corrected sentence says that already."""
    opening = clipped(output, OPENING_LIMIT)
    return "" if sentence.startswith(opening.rstrip("…")) else opening


class CorrectionWording(NamedTuple):
    wrong: str = ""
    right: str = ""
    why: str = ""
    query: str = ""
    said: str = ""
    context: str = ""
    fixed: str = ""
    understood: str = ""
    opening: str = ""
    """How the output began, if that says more than the sentence."""
    occasions: tuple[str, ...] = ()

    def terms(self) -> list[str]:
        circumstances = (self.why, self.query, self.context, self.understood, *self.occasions)
        return [*self.own_terms(), *terms("\n".join(circumstances))]

    def own_terms(self) -> list[str]:
        """Each side by itself: frequent words such as `who` and `whom` are terms only where there are no others."""
        return [*terms(self.wrong), *terms(self.right)] if self.wrong or self.right else terms(self.said)

    def command(self) -> str:
        """The command that is right, if it says nothing else."""
        from heedful.text.commands import command_of  # noqa: PLC0415 - only where corrections are compared

        return command_of(self.right) or command_of(self.said)

    def corrected_command(self) -> str:
        """The command in the corrected sentence, if there is one only."""
        from heedful.text.commands import commands  # noqa: PLC0415 - as above

        found = {one.text for one in commands(self.context)}
        return found.pop() if len(found) == 1 else ""

    def gist(self) -> str:
        """What a later question is compared with: the situation with what was said in it, the situation alone, and the
        occasions. What was said is often about something else than what it was said in."""
        words = (self.said,) if self.said else (self.wrong, self.right)
        about = self.opening or self.context
        situation = _joined(self.query, about) if about else ""
        told = _joined(self.query, self.understood, self.context, *words)
        aspects = (told, situation, *self.occasions) if situation else (told, *self.occasions)
        return ASPECTS.join(text.replace(ASPECTS, " ") for text in aspects)


class CorrectionKind(LearningKind[CorrectionWording]):
    name = "correction"
    begun_by = REPORTED
    categories = Category
    fields = frozenset({"wrong", "right", "why", "fixed", "understood", "severity", "always"})
    moves = frozenset({"about", "audience"})
    headings = _HEADINGS
    first_hand = True
    notes = 5
    initial_confidence = 0.9
    confirmation = 0.5

    def wording(self, event: Event) -> CorrectionWording | None:
        before, after, meta = event.before, event.after, event.meta
        names = ("why", "query", "said", "context", "fixed", "understood", "opening")
        told = {name: _text(meta, name) for name in names}
        occasions = _texts(meta, "occasions")
        words = CorrectionWording(_text(before, "wrong"), _text(after, "right"), **told, occasions=occasions)
        return words if words.wrong or words.right or words.said else None

    def digest(self, words: CorrectionWording, category: str | None) -> str:
        """The opening and the occasions tell when it is given, not what it says."""
        return super().digest(words[:-2], category)  # type: ignore[arg-type]

    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:
        changed = dict(changes)
        severity, always, occasions = (changed.pop(name, None) for name in ("severity", "always", "occasions"))
        known = self.words_of(row)
        if occasions is not None:
            known = known._replace(occasions=tuple(occasions))
        if any(changed.get(name, text) != text for name, text in (("wrong", known.wrong), ("right", known.right))):
            changed = {"fixed": "", "understood": "", **changed}  # they were made with the words of before
            known = known._replace(occasions=tuple(occasions or ()))
        if always is False:
            known = known._replace(occasions=())
        words = known._replace(**{name: text.strip() for name, text in changed.items()})
        if not (words.wrong or words.right or words.said):
            raise InvalidInput("A correction cannot be empty.", hint="To remove it, delete it.")
        if (words.wrong, words.right) != (known.wrong, known.right):
            refuse_same_words(words.wrong, words.right, hint="To state what is right, leave what was wrong empty.")
        kept = {name: value for name, value in row.last.meta.items() if name not in (READ_BY, "about")}
        texts = {name: getattr(words, name) for name in ("why", "query", "fixed", "understood")}
        meta = {**kept, **texts, "category": category, "occasions": list(words.occasions)}
        if severity is not None:
            meta["severity"] = severity
        if always is not None:
            meta["always"] = always
        return LearningEdit(
            words,
            {"wrong": words.wrong} if words.wrong else {},
            {"right": words.right} if words.right else {},
            {name: value for name, value in meta.items() if value not in (None, "", [])},
        )

    def compare(
        self,
        new: CorrectionWording,
        old: CorrectionWording,
        categories: tuple[str, str] = ("", ""),
        cosine: float | None = None,  # noqa: ARG002
    ) -> LearningComparison:
        """A contradicted correction is replaced, or no longer applied, so both answers are strict."""
        from heedful.text.contradictions import at_odds  # noqa: PLC0415 - its patterns take 16 ms to compile

        wrong, right = _compared(new)
        old_wrong, old_right = _compared(old)
        if (wrong, right) == (old_wrong, old_right):
            about_words = categories[0] in _ABOUT_WORDS and is_wording(new.wrong, new.right)
            same = about_words or _same_matter(new, old) if wrong or right else _says_the_same(new, old)
            if same or wrong or right:
                return LearningComparison(Relation.SAME, "canonical", 1.0) if same else _DIFFERENT
        if not _same_matter(new, old):
            return _DIFFERENT
        if wrong and wrong == old_wrong and right and old_right:
            return LearningComparison(Relation.CONTRARY)
        if (wrong and wrong == old_right) or _corrects_the_command(new, old):
            return LearningComparison(Relation.CONTRARY)  # the former right is wrong now
        if not wrong and not old_wrong and right and old_right and at_odds(new.right, old.right):
            return LearningComparison(Relation.CONTRARY)
        paired = wrong and right and old_wrong and old_right
        return LearningComparison(Relation.CONTRARY) if not paired and _answer_apart(new, old) else _DIFFERENT

    def half_life(self, learning: Learning) -> timedelta:
        return _HALF_LIFE[Category(learning.category)]

    def overlap(self, asked: frozenset[str], words: CorrectionWording) -> float:
        """The share of the shorter text that the other covers."""
        sides = (frozenset(words.own_terms()), frozenset(terms(words.query)))
        shares = (len(asked & side) / (min(len(asked), len(side)) + _DOUBT) for side in sides if side)
        return max(shares, default=0.0) if asked else 0.0

    def followed(self, learning: Correction, output: str) -> bool | None:
        """By its words: only a pair, or what was wrong, says what an output must have or must not have."""
        if not learning.wrong:
            return None
        about = f"{learning.sentence}\n{learning.query}"
        return adherence(output, avoided=learning.wrong, wanted=learning.right, about=about)

    def record(self, row: LearningRow) -> Correction:
        words, meta = self.words_of(row), row.last.meta
        severity = meta.get("severity")
        return Correction(
            **self.shared_fields(row),
            wrong=words.wrong,
            right=words.right,
            why=words.why,
            query=words.query,
            sentence=words.context,
            fixed=words.fixed or _fixed(words),
            understood=words.understood,
            said=words.said,
            always=meta.get("always") is True,
            session=row.first.meta.get("session"),
            severity=float(severity) if isinstance(severity, int | float) and 0 <= severity <= 1 else 0.5,
            occasions=words.occasions,
        )

    def render(self, learning: Correction) -> Rendering:
        label = "always" if learning.always else "corrected"
        asked = f"asked {quoted(learning.query, _LONG)}, " if learning.query and not _stands_alone(learning) else ""
        why = f" (why: {quoted(learning.why, _LONG)})" if learning.why and (learning.wrong or learning.right) else ""
        return Rendering(label, f"{asked}{_statement(learning)}{why}")

    def said(self, learning: Correction) -> CorrectionWording:
        return CorrectionWording(
            learning.wrong,
            learning.right,
            learning.why,
            learning.query,
            learning.said,
            learning.sentence,
            learning.fixed,
            learning.understood,
            occasions=learning.occasions,
        )

    def statement(self, learning: Correction) -> str:
        if learning.understood or learning.fixed or not (learning.wrong and learning.right):
            return learning.understood or learning.fixed or learning.right or learning.said
        return f"{learning.right}, not {learning.wrong}"

    def bullet(self, learning: Correction, alone: StandingAlone | None = None) -> list[str]:
        said = _told_alone(learning, alone)
        why = f"Why: {learning.why}" if learning.why and learning.why not in said else ""
        return [clauses(text, _LONG) for text in (said, why) if text] if said else []


CORRECTION = CorrectionKind()


def are_same_words(wrong: str, right: str) -> bool:
    """Apart from white space: a case, an accent or a comma is worth a correction."""
    return bool(wrong.strip()) and composed(wrong).split() == composed(right).split()


def refuse_same_words(wrong: str, right: str, hint: str) -> None:
    if are_same_words(wrong, right):
        raise InvalidInput("What was wrong and what is right are the same words.", hint=hint)


def is_wish(learning: Correction) -> bool:
    """Whether it says how outputs should be, whatever they are about."""
    if is_about_words(learning):
        return True
    told = learning.understood or learning.right or learning.fixed or learning.said
    return learning.category in _WISHES and not points(told)


def is_about_words(learning: Correction) -> bool:
    """Whether it is about the words themselves, whatever is spoken of: `guests`, never `clients`."""
    named = bool(learning.wrong and learning.right) and is_wording(learning.wrong, learning.right)
    return named and learning.category in _ABOUT_WORDS


def _told_alone(learning: Correction, alone: StandingAlone | None) -> str:
    """For who was not there: what a model understood, the words of the person, or what was asked and is right. Without
    the report of the agent, which tells what it did then; empty if nothing of that makes sense alone."""
    fact = alone.fact(learning.fixed) if alone and learning.fixed else ""
    words = f"Say “{learning.right}”, never “{learning.wrong}”." if is_about_words(learning) else ""
    answered = _answered(learning) if learning.query and learning.right else ""
    told = (learning.understood, _own_words(learning, alone), words, fact, answered, _reported(learning))
    return next(filter(None, told), "")


def _reported(learning: Correction) -> str:
    """Without a message, or edited since: in the words in which somebody wrote it down on purpose."""
    if learning.said and set(terms(learning.right)) <= set(terms(learning.said)):
        return ""
    return f"“{learning.right}”, not “{learning.wrong}”" if learning.wrong and learning.right else learning.right


def _own_words(learning: Correction, alone: StandingAlone | None) -> str:
    """Not if somebody edited since what they said, or if what stands alone lacks what is right."""
    right = set(terms(learning.right))
    if not learning.said or not right <= set(terms(learning.said)):
        return ""
    own = alone.said(learning.said) if alone else learning.said
    is_part = set(terms(own)) <= {*right, *terms(learning.wrong)}  # `butter, not margarine`: where, was asked
    return own if right <= set(terms(own)) and not (learning.wrong and is_part) else ""


def _answered(learning: Correction) -> str:
    """`Which Python? 3.12, not 2.7`, and `Deploy the shop: make release`."""
    not_this = f", not {learning.wrong}" if learning.wrong else ""
    ending = "" if learning.query.endswith(("?", "!", ".", ":", "…")) else ":"
    return f"{learning.query}{ending} {learning.right}{not_this}"


def _stands_alone(learning: Correction) -> bool:
    """What always holds makes sense without the question: what was understood, words to use, and wishes."""
    if not learning.always or learning.understood or is_about_words(learning):
        return learning.always
    is_whole = len(learning.said.split()) > 1  # not `tabs`
    return is_whole and is_wish(learning) and not (learning.wrong or learning.right or learning.fixed)


def _statement(learning: Correction) -> str:
    """Makes sense by itself: what is to be known, the corrected sentence, or what was said about which sentence."""
    texts = (learning.wrong, learning.right, learning.said, learning.sentence, learning.fixed, learning.understood)
    wrong, right, said, context, fixed, understood = (quoted(text, _LONG) for text in texts)
    not_this = f" (not {wrong})" if learning.wrong else ""
    and_said = f"; the person said: {said}" if _says_more(learning) else ""
    if learning.understood:
        return f"know {understood}{not_this}"
    if _stands_alone(learning):
        return f"say {right}, never {wrong}" if learning.right else f"the person said: {said}"
    if learning.fixed:
        return f"say {fixed}{not_this or f' (not {context})'}{and_said}"
    if learning.wrong and learning.right:
        return f"say {right}, not {wrong}{and_said}"
    if learning.right or learning.wrong:
        return (f"right is {right}" if learning.right else f"wrong is {wrong}") + and_said
    return f"about {context} the person said: {said}" if learning.sentence else f"the person said: {said}"


def _says_more(learning: Correction) -> bool:
    """Whether the message has more than the words that were read in it: a second correction, a reason, a condition."""
    if not (learning.wrong and learning.right):
        return bool(learning.said)
    known = {*terms(f"{learning.wrong}\n{learning.right}\n{learning.sentence}\n{learning.query}"), *NEGATIONS}
    return len(set(terms(learning.said)) - known) > _LEAD


def _fixed(words: CorrectionWording) -> str:
    """The corrected sentence put right; empty if it is not certain how."""
    pair = with_articles(words.wrong, words.right, words.context, words.said)
    return put_right(words.context, pair.wrong, pair.right)


def _says_the_same(new: CorrectionWording, old: CorrectionWording) -> bool:
    """Of two without a pair: the same message about the same sentence, or an order that holds whatever was done."""
    ours, theirs = (_plain(new.said), _plain(new.context)), (_plain(old.said), _plain(old.context))
    if ours == theirs and _same_question(new.query, old.query):
        return True
    return _holds_anywhere(new.said) and _holds_anywhere(old.said) and _is_one_order(new.said, old.said)


def _holds_anywhere(said: str) -> bool:
    """`Never commit to main`: a ban, or what is always to be done."""
    from heedful.text.contradictions import negates  # noqa: PLC0415 - as in `compare`

    lead, _, rest = said.partition(", ")
    order = rest if rest and len(lead.split()) == _LEAD else said
    lasts = negates(order) or not ALWAYS.isdisjoint(normal(order).split())
    return lasts and is_order(order) and not points(order)


def _is_one_order(new: str, old: str) -> bool:
    from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - as in `compare`

    return compared(Statement("", new, ""), Statement("", old, ""), None).relation is Relation.SAME


def _same_question(new: str, old: str) -> bool:
    """The same words can be wrong in one place and right in another."""
    ours, theirs = set(terms(new)), set(terms(old))
    return not ours or not theirs or 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _same_matter(new: CorrectionWording, old: CorrectionWording) -> bool:
    """The same question, about the same thing."""
    replaced = terms(f"{new.wrong}\n{new.right}\n{old.wrong}\n{old.right}")
    texts = (new.query, old.query) if new.query and old.query else (new.context, old.context)
    return _same_question(new.query, old.query) and not is_other_subject(*texts, apart_from=replaced)


def _answer_apart(new: CorrectionWording, old: CorrectionWording) -> bool:
    """Whether both answer one question, or correct one sentence, with different values. In the result of one task there
    is more than one thing to correct, and in a sentence with several values, too."""
    from heedful.text.answers import GivenAnswer, differ  # noqa: PLC0415 - as in `compare`
    from heedful.text.contradictions import values  # noqa: PLC0415

    same_sentence = bool(new.context) and _plain(new.context) == _plain(old.context)
    asked = set(terms(new.query)), set(terms(old.query))
    same_question = bool(asked[0]) and asked[0] == asked[1] and all(one.query.endswith("?") for one in (new, old))
    if not same_question and not (same_sentence and len(values(new.context)) < 2):
        return False
    ours, theirs = (GivenAnswer(one.said or one.right, one.wrong) for one in (new, old))
    return differ(ours, theirs, f"{new.query}\n{new.context if same_sentence else ''}")


def _corrects_the_command(new: CorrectionWording, old: CorrectionWording) -> bool:
    """Whether it corrects the command that was right before, or says another one about the same sentence."""
    ours, theirs = new.command(), old.command()
    if not (ours and theirs) or ours == theirs:
        return False
    corrected = new.corrected_command()
    return theirs == corrected or (bool(corrected) and _plain(new.context) == _plain(old.context))


def _compared(words: CorrectionWording) -> tuple[str, str]:
    """Without case and surrounding punctuation, unless it is about these."""
    pair = _plain(words.wrong), _plain(words.right)
    if pair[0] != pair[1]:
        return pair
    return " ".join(composed(words.wrong).split()), " ".join(composed(words.right).split())


def _plain(text: str) -> str:
    return normal(text).strip(_EDGES)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = values.get(name)
    return tuple(one for one in found if isinstance(one, str) and one) if isinstance(found, list) else ()
