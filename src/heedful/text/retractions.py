"""A sentence by which a person takes back what was said before: `we no longer deploy with make ship`.

That something ended is said with few words of grammar; what ended is compared with what is known, term by term, and
with its yes or no: who bans it once more takes nothing back.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from heedful.text.contradictions import key_terms, stand, values
from heedful.text.sentences import sentences
from heedful.text.stems import stem
from heedful.text.successions import Succession, clauses, is_chosen, successions
from heedful.text.words import words_of

_LONGEST = 600  # characters
_OPENING = (
    r"^\W*(?:(?:no(?! more| longer| need)|nope|and|so|but|also|ok|okay|actually|please|well|hey|btw|note|remember)"
    r"\b\W+)*+"
)
_SOMEBODY = r"(?:we|you|i|they|nobody|no one|people|everybody|the team|wir|man|ich|nous|on|nosotros|nós)"
_CEASED = re.compile(
    r"\b(?:any ?more|any longer|no longer|nicht mehr|ya no|já não|no (?:\w+ ){1,4}más|não (?:\w+ ){1,4}mais|"
    r"n(?:e |['’])(?:\w+ ){1,4}plus)\b",
    re.IGNORECASE,
)
# Who does it no more, or that it is wanted no more. That a program does something no more is a bug.
_HABIT = re.compile(
    rf"{_OPENING}(?:{_SOMEBODY}\b(?!.{{0,20}}\b(?:can(?:no|['’])t|couldn['’]?t|won['’]?t|unable)\b)|"
    r"(?:don['’]?t|do not|never|(?:there is )?no need)\b)|^\W*no (?!longer|one)\w|"
    r"\b(?:used|needed|required|necessary|wanted|mandatory|allowed|supported|recommended|true|valid)\b|"
    r"\b(?:need|have) to\b|"
    r"(?:apply|applies|hold|holds|stand|stands)\b|\b(?:is|are)(?:n['’]t| not) (?:on|in|at|the|a|an|our)\b",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    rf"{_OPENING}(?:stop (?=\w+ing\b)|no more (?=\w)|(?:forget|scrap|scratch|drop)\b(?: about\b)?"
    rf"|{_SOMEBODY}(?:['’]ve| have)? (?:stopped|quit|dropped|abandoned|moved (?:off|away from)|got rid of)\b)",
    re.IGNORECASE,
)
_USED = re.compile(r"\b(?:us(?:e|es|ed|ing)|utilis\w+|us[ao]\w*|nutz\w+|verwend\w+|benutz\w+)\b", re.IGNORECASE)
_STOP = re.compile(rf"{_OPENING}stop\b", re.IGNORECASE)
_RULE = re.compile(
    r"\b(?:rule|ban|policy|convention|limit|guideline|requirement|regel|vorgabe|verbot|règle|interdiction|consigne|regla|"
    r"prohibición|regra|proibição)(?:e?[ns])?\b"
    r"|\bwhat (?:i|we) (?:just |once )?said\b|\b(?:that|the) thing (?:about|with)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"\b(?:forget|drop|scrap|scratch|strike|ignore|disregard|lift|abolish|cancel|withdraw|relax|take back|vergiss|"
    rf"oublie|olvida|esquece)\b|\b(?:was|is|are|were|been|{_SOMEBODY}(?:['’]ve)?) "
    r"(?:dropped|scrapped|lifted|abolished|cancelled|withdrawn|relaxed|gone|obsolete|outdated|history|over|off|void)\b|"
    r"\b(?:aufgehoben|abgeschafft|gestrichen|hinfällig|vom tisch|levée?|abandonnée?|caduque|levantad[ao]|anulad[ao]|"
    r"derogad[ao]|suspens[ao]|revogad[ao])s?\b",
    re.IGNORECASE,
)
_ALLOWED = re.compile(
    r"\b(?:(?:you|we|they|one) (?:can|may)|(?:it|that)['’]s (?:ok(?:ay)?|fine|allowed|all right)|"
    r"(?:is|are) (?:(?:now|again) )?(?:ok(?:ay)?|fine|allowed|all right)|feel free|"
    r"(?:d[ua]rf|dürf|kann|könn)\w*|(?:ist|sind) .{0,20}(?:ok(?:ay)?|erlaubt|in ordnung)|"
    r"(?:on|vous|tu) (?:peut|pouvez|peux)|(?:est|sont) .{0,20}(?:permise?s?|autorisée?s?)|"
    r"(?:se |ya )?(?:puedes?|podemos|podéis)|permitid[ao]s?|(?:podes?|podem))\b",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    r"\b(?:again|now|from now on|from today|these days|after all|wieder|jetzt|ab (?:jetzt|sofort|heute)|"
    r"à nouveau|de nouveau|maintenant|désormais|de nuevo|otra vez|ahora|de novo|agora)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:(?:is|was|are|were|does|did|has|had)(?:n['’]t| not| never)|(?:never|not) (?:the|because|true|so|due|caused)|"
    r"nothing to do with|(?:is|was|are|were) (?:wrong|false|nonsense))\b",
    re.IGNORECASE,
)
_PARTICULAR = re.compile(r"\b(?:this|these)\s+\w", re.IGNORECASE)
_WAITS = re.compile(rf"{_OPENING}(?:if|when|whenever|once|unless|until|in case|as soon as|why|how)\b", re.IGNORECASE)
_SAID_WITH = words_of("""
    rule rules ban bans policy convention limit guideline requirement thing said old new earlier previous whole
    forget drop dropped scrap scratch strike stop stopped quit ignore disregard lift lifted abolish cancel withdraw
    relax relaxed take back gone moved off away got rid abandoned obsolete outdated history void hold holds apply
    applies stand stands valid true any longer again now used use needed need required necessary wanted want
    mandatory allowed supported recommended fine ok okay free feel right may can add nehmen nutzen verwenden doing
    do that more less it its i'm actually really just simply everything anything last week month today we i you they
    benutzen regel règle regla regra mehr más mais plus verbot vorgabe interdiction consigne prohibición proibição
    aufgehoben abgeschafft gestrichen hinfällig gilt gelten gültig wieder jetzt sofort darf darfst dürfen dürft kann
    kannst können könnt erlaubt ab ordnung levée levé leve nouveau désormais maintenant peut peux pouvez permis
    autorisé levantada levantado nuevo ahora puedes podemos novo agora vale aplica vaut tient
""")
_EMPTY = frozenset(map(stem, _SAID_WITH))
"""What taking back is said with: no part of what is taken back."""


class Form(Enum):
    CEASED = "ceased"
    """What was done is done no more."""
    STOPPED = "stopped"
    """`Stop squashing`: perhaps only this time."""
    DROPPED = "dropped"
    """It speaks of the rule itself: `drop the rule about yarn`."""
    ALLOWED = "allowed"
    """What was banned is allowed: `you can use moment.js again`."""
    REPLACED = "replaced"
    """It says what holds instead: `yarn is gone, we moved to pnpm`."""
    DENIED = "denied"
    """What was said to be so is not: `that was never the cause`."""


_LEAST_NAMED = 2
_MOST_NAMED = 2 / 3
"""The terms, and the share of them, that a statement must have which is not said to the letter."""


class Match(NamedTuple):
    """A statement that is taken back."""

    share: float
    """Of the terms of its title."""
    exact: bool
    """The retraction names nothing else."""


class Retraction(NamedTuple):
    form: Form
    about: frozenset[str]
    """The terms of what is taken back."""
    succession: Succession | None = None
    """Of a thing that was used: a learning that only mentions it stays."""

    def match(self, title: str, text: str) -> Match | None:
        """None for a statement that speaks of something else, or agrees."""
        if self.succession is not None and not _follows(self.succession, title):
            return None
        theirs, said = stand(text), frozenset(key_terms(title))
        against = self.form in (Form.CEASED, Form.STOPPED, Form.REPLACED)
        named = self.about & (theirs.affirmed if against else theirs.terms)
        if self.form is Form.ALLOWED and named.isdisjoint(theirs.denied):
            return None
        exact = named == self.about
        if self.form is Form.REPLACED and not exact:
            return None
        enough = 0 if self.form is Form.DENIED else _MOST_NAMED * len(self.about)  # it says what is so instead, too
        if exact or (len(named) >= _LEAST_NAMED and len(named) >= enough):
            return Match(len(named & said) / max(1, len(said)), exact)
        return None


def retractions(sentence: str) -> tuple[Retraction, ...]:
    """What a sentence takes back; nothing if it does not say what."""
    said = sentence[:_LONGEST].strip()
    if said.endswith("?") or _WAITS.match(said):
        return ()
    found: dict[frozenset[str], Retraction] = {}
    before = ""
    for clause in clauses(said):
        form = _form(clause, said)
        if form is not None and (about := _about(clause, form) or _about(before, Form.DROPPED)):
            thing = Succession(about, "") if form is Form.CEASED and _USED.search(clause) else None
            found.setdefault(about, Retraction(form, about, thing))
        before = clause
    for one in successions(said):
        if one.ended and not any(known & one.ended for known in found):
            found[one.ended] = Retraction(Form.REPLACED, one.ended, one)
    return tuple(found.values())


def replaced_command(command: str) -> Retraction:
    """That another command is right."""
    about = frozenset(key_terms(command)) - _EMPTY
    return Retraction(Form.REPLACED, about, Succession(about, command))


def is_replaced(text: str) -> bool:
    """Whether it says what is no more, and what holds instead."""
    if next(successions(text[:_LONGEST]), None) is not None:
        return _WAITS.match(text) is None
    ended: list[frozenset[str]] = []
    others: list[frozenset[str]] = []
    for sentence in sentences(text[:_LONGEST]):
        if sentence.endswith("?") or _WAITS.match(sentence):
            return False
        for clause in clauses(sentence):
            form = _form(clause, sentence)
            if form is Form.ALLOWED or _STOP.match(clause):
                return False  # perhaps only this time
            about = _about(clause, form or Form.DROPPED)
            (others if form is None else ended).append(about)
    return any(ended) and any(about - frozenset().union(*ended) for about in others)


def denials(sentence: str) -> tuple[Retraction, ...]:
    """What a sentence says is not so."""
    said = sentence[:_LONGEST].strip()
    if said.endswith("?") or _DENIED.search(said) is None:
        return ()
    about = frozenset(key_terms(said)) - _EMPTY
    return (Retraction(Form.DENIED, about),) if about else ()


def _follows(succession: Succession, title: str) -> bool:
    """Whether a statement says to take what ended: who says how it ended does not."""
    told = {term for one in successions(title) for term in one.ended}
    return succession.ended.isdisjoint(told) and is_chosen(succession, title)


def _form(clause: str, sentence: str) -> Form | None:
    if _RULE.search(clause):
        return Form.DROPPED if _DROPPED.search(clause) or _CEASED.search(sentence) else None
    if _STOPPED.match(clause):
        return Form.CEASED if _CEASED.search(sentence) else Form.STOPPED
    if _CEASED.search(clause):
        return Form.CEASED if _HABIT.search(clause) and not _PARTICULAR.search(clause) else None
    return Form.ALLOWED if _ALLOWED.search(clause) and _FROM_NOW.search(clause) else None


def _about(clause: str, form: Form) -> frozenset[str]:
    """What is done no more is what the clause denies; if it denies only that it is wanted, all that it names."""
    denied = stand(clause).denied - _EMPTY
    named = frozenset(key_terms(clause)) | {value.amount for value in values(clause)}
    return denied if form is Form.CEASED and denied else named - _EMPTY
