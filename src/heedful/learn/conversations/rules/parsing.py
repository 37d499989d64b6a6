"""Reading one sentence of a person as a rule: which form it has, and whether it would still hold tomorrow."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.learn.conversations.rules.lexicon import (
    AFTER_REFUSAL,
    DOUBTS,
    ENDS_IN_ED,
    ENDS_IN_ING,
    ENDS_IN_S,
    HELD_BACK,
    JUDGED,
    NOT_VERBS,
    OPENERS,
    REASONS,
    REFUSED_BY,
    REPORTS,
    VERBS,
)
from heedful.learn.conversations.rules.phrasings import CUES, FORMS, OTHER_TONGUES, RULES_FOLLOW, Needs, Phrasing
from heedful.learn.conversations.rules.reference import resolved, stands_alone
from heedful.learn.conversations.rules.sentences import Sentence, masked

_LEAST_WORDS = 3
_NAMED = ("preferred", "why so many", "unwanted", "decided")  # these speak of a thing, without a verb
_PROHIBITIONS = ("do not", "avoid", "we do not do")
_AT_ONCE = 12  # characters; what follows a longer clause belongs to its request
_OPENING = re.compile(r"([\w'’]+)((?:\s*[,.!:;…\-–—]+)?\s*)")
_DOUBTS = re.compile(rf"\b(?:{DOUBTS})\b")
_SAME_SUBJECT = re.compile(r"(?:i|it|he|she|they)\b.*\b(?:but|and|so) $")  # `I run it daily and always wait`
_REPORTS = re.compile(rf"\b(?:{REPORTS})\b")
_REASON_CLAUSE = re.compile(
    rf"(?<!just)(?<!even)[,;:(\s—–-]+(?=(?:{REASONS})\b)"
    r"|[,;—–-]+\s(?=(?:it's|it is|that's|this is|they're|they are|those are|it|that"
    rf"|this) [^,]{{0,40}}\b(?:{JUDGED})\b)"
)
_REASON = re.compile(rf"^(?:and |but |it's |that's |this is |just )?(?:{REASONS}|that way|this way)\b")
_CONJUNCTION = re.compile(
    r"^(?:because|'?cause|’cause|since|as|weil|denn|parce que|car|porque|pois) (?=\w)", re.IGNORECASE
)
_JUDGED = re.compile(rf"\b(?:{JUDGED})\b")
_WRITTEN = re.compile(
    r"\b(?:claude|agents|gemini|contributing)\.md\b|cursorrules|\b(?:you were|i) told\b|style ?guide", re.IGNORECASE
)
_COMPLAINT = re.compile(
    r"\bbut (?:it|they|this|that|these)(?: (?:is|are|was|were|do|does|did|still|just|always"
    r"|never)\b|'s| \w+n't)"
)
_HELD_BACK = re.compile(HELD_BACK)
_LASTING = re.compile(
    r"\b(?:keep it \w+|always|never|ever|any|anything|anywhere|every|each|all|everywhere|whenever|unless|without"
    r"|outside|directly (?:to|in|into|from|against)|manually|by hand"
    r"|by default|instead of|rather than|hard-?cod\w+|here|stays?|remains?|in (?:tests?|prod|production|comments"
    r"|commits?|code|docs)"
    r"|(?:to|on|into) (?:main|master|prod|production|develop)"
    r"|(?:before|after) (?:every|each|any|\w+ing))\b"
)
# `Do not add comments`: things of a kind. `Do not run the tests`: certain ones, on this occasion.
_KIND = re.compile(
    r"^(?:avoid |(?:don't |do not |dont )?(?!(?:no|run|start|stop|continue|proceed|fix|delete|remove|change|modify"
    r"|update|do|go|show|tell|give"
    r"|try|look|worry|bother|open|close|move|restart|build|read|check|ask|wait|take|make)\b)[\w-]+ )"
    r"(?!(?:the|that|this|these|those|it|them|my|your|anything|changes|everything|to|me|a new|tests?"
    r"|code)\b)[\w`'*“\"./-]+"
)
_CERTAIN = re.compile(r"\b(?:the|that|this|these|those)\b")
_FIRST_WORD = re.compile(
    r"(?:always |never |only ever |not |don't |do not |dont |please |also |just |only |ever |at least )*([\w'-]+)"
)
_SUBJECT_ACTS = re.compile(
    r"(?:we|you|i|agents|everyone|nobody) (?:[\w']+)|.{3,60}\b(?:should|must|needs? to|has to|have to|is|are|go|goes)\b"
)
_NEGATIVE = re.compile(
    r"^(?:(?:we|you|i) (?:should |must )?)?(?:never|don't|do not|dont|no|avoid|stop|quit|nie|niemals|nunca|jamais|ne"
    r"|kein\w*)\b|\bnot ever\b"
)
_TRAILING = re.compile(r"[\s,;.-]+(?:(?:just|so|please|and|then|instead|don't)[\s,;.-]*)*$")
_PRONOUN_ONLY = re.compile(r"^(?:it|this|that|the latter|the former|which)$")
_USES = re.compile(r"\b(?:use|uses|using|used) (?:the |a |an )?")
_OBJECT_END = re.compile(r" (?:for|in|on|to|here|with|while|when|because|and|as|by)\b.*$")
_EMBEDDED_QUESTION = re.compile(
    r"^(?:can|could|would|will) you (?:please )?(?P<asked>(?:always|never|from now on|stop|avoid)\b.+)\?$"
)
_TAG_QUESTION = re.compile(r",? (?:ok|okay|k|please|got it|understood|alright|wth|wtf|capiche)\?+$")


class Rule(NamedTuple):
    """A sentence read as a rule, with what was said around it."""

    sentence: Sentence
    form: Phrasing
    what: str
    """What is to be done, in the person's words."""
    why: str
    reason: Sentence | None
    """The sentence that says why, if it is another one."""
    refused: bool
    """Whether it answers by refusing."""
    sure: bool
    """Whether it lasts by itself; if not, it must be repeated or turn out to be a correction."""

    @property
    def forbids(self) -> bool:
        return self.form.says.startswith(("Do not", "Never", "Avoid")) or bool(_NEGATIVE.match(self.what.lower()))


def read(sentences: list[Sentence], place: int, *, refused: bool) -> Rule | None:
    """The sentence in this place as a rule, or None."""
    sentence = sentences[place]
    text = _without_question(sentence.text)
    if text is None:
        return None
    text, refusing = _opened(text)
    refused = refused or refusing
    low = masked(text)
    if low.count(" ") + 1 < _LEAST_WORDS:
        return None
    listed = bool(sentence.heading) and bool(RULES_FOLLOW.search(masked(sentence.heading)))
    if listed and _opens(low, "instructs"):
        return Rule(sentence, _LISTED, text.rstrip(" .!"), "", None, refused, sure=True) if stands_alone(low) else None
    if _COMPLAINT.search(low):
        return None
    cues = {cue for cue in CUES if cue in low}
    for form in FORMS:
        found = None if form.cues.isdisjoint(cues) else form.pattern.search(low)
        if found and _opens(found["what"], form.opens_with) and not _is_weighed(low, found, form):
            rule = _rule(form, found, text, sentences, place, refused)
            if rule is not None:
                return rule
    return _in_another_tongue(sentence, text, low, refused)


_LISTED = Phrasing("listed", frozenset({""}), re.compile("^(?P<what>.+)$"))


def refuses(text: str) -> bool:
    """Whether a message begins by saying no."""
    return _opened(text[:200])[1]


def _rule(
    form: Phrasing, found: re.Match[str], text: str, sentences: list[Sentence], place: int, refused: bool
) -> Rule | None:
    sentence, span = sentences[place], found.span("what")
    what, why = _parted(text[span[0] : span[1]])
    what = resolved(what, text[: span[0]])
    reason = None
    if not why and (before := _REASON_CLAUSE.search(masked(text[: span[0]]))):
        why = _TRAILING.sub("", text[before.end() : span[0]])
    if not why:
        reason = _reason_beside(sentences, place)
        why = reason.text if reason else ""
    if form.name == "preferred":
        rest = text[found.start("rest") : found.end("rest")] if found["rest"] else ""
        meant = _antecedent(what, sentences, place)
        if meant is None:
            return None
        what = meant + rest.rstrip(" .!")
    low = masked(what)
    named = form.name in _NAMED
    if low.count(" ") + 1 < _LEAST_WORDS and not named:
        return None
    if not stands_alone(f"use {low}" if named else low.partition(", that's what")[0]):
        return None
    sure = _is_sure(form, low, bool(why), refused, opens=span[0] < _AT_ONCE)
    if form.needs is Needs.REASON and not why:
        return None
    return Rule(sentence, form, what, _CONJUNCTION.sub("", why), reason, refused, sure)


def _is_sure(form: Phrasing, low: str, reasoned: bool, refused: bool, *, opens: bool) -> bool:
    if form.needs is Needs.NOTHING:
        return True
    if form.needs is Needs.GENERAL:
        if _HELD_BACK.match(low):
            return False
        general = bool(_LASTING.search(low) or (opens and form.name in _PROHIBITIONS and _KIND.match(low)))
        return general or (reasoned and not _CERTAIN.search(low))
    if form.needs is Needs.CORRECTION:
        return (refused and reasoned) or (
            form.name == "we do" and bool(_LASTING.search(low)) and not _JUDGED.search(low)
        )
    return reasoned


def _is_weighed(low: str, found: re.Match[str], form: Phrasing) -> bool:
    """Whether the words before the rule, or its first ones, doubt or report it."""
    if form.name == "why so many":
        return False
    start = found.start("what")
    before = low[:start]
    if _REPORTS.search(before) or _DOUBTS.search(before) or _SAME_SUBJECT.match(before):
        return True
    if form.needs is Needs.NOTHING:
        return False
    return bool(_DOUBTS.search(low) or _REPORTS.search(low))


def _without_question(text: str) -> str | None:
    """A question asks; only `can you always …?` and `…, ok?` instruct."""
    if "?" not in text[-6:]:
        return text
    if (asked := _EMBEDDED_QUESTION.match(text.lower())) is not None:
        return text[asked.start("asked") : asked.end("asked")]
    tagged = _TAG_QUESTION.search(text.lower())
    return text[: tagged.start()] if tagged else None


def _opened(text: str) -> tuple[str, bool]:
    """Without what people say before they come to the point, and whether that refuses something."""
    refused = False
    for _ in range(6):
        opening = _OPENING.match(text)
        if opening is None:
            break
        word, gap = opening[1].lower(), opening[2]
        following = text[opening.end() :]
        if word in REFUSED_BY:
            following_word = following.split(" ", 1)[0].lower().strip(",.")
            if not gap.strip() and following and following_word not in AFTER_REFUSAL:
                break
            refused = True
        elif word not in OPENERS:
            break
        if not following:
            return "", refused
        text = following
    return text, refused


def _opens(what: str, kind: str) -> bool:
    if not kind or kind == "foreign":
        return True
    if kind == "condition":
        _, _, rest = what.partition(", ")
        return _opens(rest, "instructs") and not rest.startswith(("i ", "it "))
    first = _FIRST_WORD.match(what)
    word = first[1] if first else ""
    if kind == "known verb":
        return word in VERBS
    if kind == "verb":
        return _is_verb(word, surely=not what.startswith(("always", "never", "don't", "do not", "dont")))
    if what.startswith(("don't ", "do not ", "never ", "always ", "no ", "avoid ", "please ", "only ", "make sure")):
        return not what.startswith("no ") or bool(what[3:])
    return word in VERBS or bool(_SUBJECT_ACTS.match(what))


def _is_verb(word: str, *, surely: bool) -> bool:
    """Whether it is the base form of a verb; after `always` and `never` any word that is not another form will do."""
    if word in VERBS:
        return True
    if surely or word in NOT_VERBS or not word.replace("-", "").isalpha():
        return False
    if word.endswith("ing"):
        return word in ENDS_IN_ING
    if word.endswith("ed"):
        return word in ENDS_IN_ED
    return not word.endswith("s") or word in ENDS_IN_S


def _parted(what: str) -> tuple[str, str]:
    """What is to be done, and the clause that says why."""
    low = masked(what)
    clause = _REASON_CLAUSE.search(low, 8)
    if clause is None or low[clause.end() :].startswith("that's what"):
        return what.rstrip(" .!"), ""
    return what[: clause.start()].rstrip(" .,;:!("), what[clause.end() :].strip(" ).!")


def _reason_beside(sentences: list[Sentence], place: int) -> Sentence | None:
    """The sentence after or before that gives a reason or a judgement."""
    further = place + 1 < len(sentences) and sentences[place + 1].text[0].islower()  # it only trails off
    for beside in (place + 1, place - 1, place + 2) if further else (place + 1, place - 1):
        if not 0 <= beside < len(sentences):
            continue
        other = sentences[beside]
        if (
            (other.asks and not _WRITTEN.search(other.text))
            or abs(other.start - sentences[place].end) > 400
            or other.heading
        ):
            continue
        low = masked(other.text)
        if _WRITTEN.search(low) and beside > place:
            return other
        if _JUDGED.search(low) or (beside > place and _REASON.search(low)):
            return other
    return None


def _antecedent(what: str, sentences: list[Sentence], place: int) -> str | None:
    """What `it is the preferred way` is about: what the sentence before speaks of using."""
    if not _PRONOUN_ONLY.match(what.lower().strip()):
        return what
    if not place:
        return None
    used = list(_USES.finditer(masked(sentences[place - 1].text)))
    return _OBJECT_END.sub("", sentences[place - 1].text[used[-1].end() :].rstrip(" .?!")) if used else None


def _in_another_tongue(sentence: Sentence, text: str, low: str, refused: bool) -> Rule | None:
    for form in OTHER_TONGUES:
        found = form.pattern.search(low)
        if found:
            what, why = _parted(text[found.start("what") : found.end("what")])
            return Rule(sentence, form, what, why, None, refused, sure=True)
    return None
