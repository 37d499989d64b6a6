"""What was corrected or forbidden before, and is about to be done: by the words alone, in a few milliseconds."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.learnings.agent_session import in_own_words
from heedful.learnings.kinds.correction import CorrectionWording, is_about_words
from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.rule import Rule
from heedful.records.transcript import Speaker
from heedful.text.bans import Ban, bans, is_everyday
from heedful.text.commands import PROGRAMS
from heedful.text.fence import quoted
from heedful.text.terms import terms
from heedful.text.uses import ToolInput
from heedful.text.whole_words import lines_with
from heedful.text.words import FUNCTION_WORDS

_CODE = re.compile(r"\w[./_:]\w|\(\)|[a-z][A-Z]")
_QUOTED, _LONG = 120, 300  # characters


def may_repeat(words: CorrectionWording, plain: str) -> bool:
    """Whether a text, without capitals, has the wrong words of a pair, or a name that is forbidden."""
    if words.wrong and words.right and all(word in plain for word in words.wrong.casefold().split()):
        return True
    statements = (words.said, words.right, "" if words.wrong else words.understood)
    return any(ban.is_in(plain) for statement in statements if statement for ban in bans(statement, words.context))


class Mistake(NamedTuple):
    """What is about to be done again, and what is said of it."""

    name: str
    learning: str
    text: str


def corrected(one: Correction, given: ToolInput) -> Mistake | None:
    """A correction that is about to be repeated."""
    if one.right and one.wrong and _is_repeated(one, given):
        return Mistake(one.wrong, one.id, _told(one.wrong, one))
    statement = _statement(CorrectionWording(one.wrong, one.right, said=one.said, understood=one.understood))
    name = _used(bans(statement, one.sentence), given)
    return Mistake(name, one.id, _told(name, one)) if name else None


def disobeyed(one: Rule | Insight, given: ToolInput) -> Mistake | None:
    """An order that is about to be disobeyed."""
    name = _used(bans(_ordered(one)), given)
    said = in_own_words(one) or f"{'a rule says' if isinstance(one, Rule) else 'it was learned'}: {_cut(_ordered(one))}"
    return Mistake(name, one.id, f"{quoted(name, _QUOTED)}: {said}") if name else None


def _statement(words: CorrectionWording) -> str:
    """What a person said, unless somebody edited since what it means; or what was written down to hold."""
    if words.said:
        return words.said if set(terms(words.right)) <= set(terms(words.said)) else words.right
    return (words.understood or words.right) if not words.wrong else ""


def _ordered(one: Rule | Insight) -> str:
    if isinstance(one, Rule):
        return one.text
    said = next((quote.text for quote in one.quotes if quote.role is Speaker.USER), "") if not one.approved else ""
    return said or one.content.get("what") or one.title


def _used(forbidden: tuple[Ban, ...], given: ToolInput) -> str:
    plain = given.plain
    return next((ban.name for ban in forbidden if ban.is_in(plain) and given.written.uses(ban)), "")


def _is_repeated(one: Correction, given: ToolInput) -> bool:
    """Where both words stand in one line, as in `npm install -g pnpm`, the right ones are known."""
    if given.is_prose and _is_common(one.wrong) and not _is_word_for_word(one):
        return False
    if given.files and FUNCTION_WORDS.issuperset(one.wrong.casefold().split()):
        return bool(_used(bans(f"never use {one.wrong}", f"{one.sentence} {one.said}"), given))
    is_mention = given.files and (_is_word_for_word(one) or not _is_tool(one.wrong))
    text = given.text if is_mention else "\n".join(given.written.code)
    return any(not lines_with(one.right, found) for found in lines_with(one.wrong, text))


def _is_tool(wrong: str) -> bool:
    """A word, a command or a name of code, which a sentence may mention; a value, as in `due in 30 days`, it states."""
    is_word = wrong.isalpha() and wrong.islower()
    return is_word or wrong.split(maxsplit=1)[0] in PROGRAMS or (wrong[0].isalpha() and _CODE.search(wrong) is not None)


def _is_word_for_word(one: Correction) -> bool:
    """`clients`, where it should be `guests`, is a mistake wherever it stands; `any` is one in code."""
    names_a_word = not FUNCTION_WORDS.issuperset(one.wrong.casefold().split())
    return names_a_word and is_about_words(one) and _is_common(one.wrong) and _is_common(one.right)


def _is_common(words: str) -> bool:
    """One word that many texts have, and perhaps words of grammar beside it. Names are written otherwise."""
    telling = [word for word in words.split() if word.casefold() not in FUNCTION_WORDS]
    return len(telling) < 2 and all(word.isalpha() and word[1:].islower() and is_everyday(word) for word in telling)


def _told(name: str, one: Correction) -> str:
    """In the words of the person, if these say all of it."""
    said = f"the person said: {_cut(one.said)}" if one.said else ""
    why = f": {one.why}" if one.why and one.why not in one.said else ""
    says_all = set(terms(one.right)) <= set(terms(one.said))
    if said and says_all:
        return f"{quoted(name, _QUOTED)}: {said}"
    instead = f"should be {quoted(one.right, _QUOTED)}" if one.wrong else f"was forbidden: {_cut(one.right)}"
    return f"{quoted(name, _QUOTED)} {instead}{why}{f'; {said}' if said else ''}"


def _cut(text: str) -> str:
    return quoted(text, _LONG)
