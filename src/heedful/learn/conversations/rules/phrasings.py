"""The forms in which people lay down rules, each with what else must be true for it to last beyond the moment."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from heedful.learn.conversations.rules.lexicon import CODE_NOUNS, PROJECT_NOUNS
from heedful.records.insight import InsightCategory


class Needs(Enum):
    """What a form asks for beside its own words."""

    NOTHING = "it lasts by its own words"
    GENERAL = "it must be about things of a kind, or have a reason"
    CORRECTION = "the agent did otherwise, or there is a reason"
    REASON = "only with a reason is it more than a request"


class Phrasing(NamedTuple):
    name: str
    cues: frozenset[str]
    """One of these is in the sentence, or the pattern need not be tried."""
    pattern: re.Pattern[str]
    """Of words in lower case; the group `what` is what is to be done."""
    says: str = "{what}"
    """The rule in the imperative."""
    needs: Needs = Needs.NOTHING
    opens_with: str = ""
    """What `what` must open with: a `verb`, or something that `instructs`."""
    category: InsightCategory | None = None
    """Where the form itself tells."""


_FROM_NOW_ON = (
    r"from now on(?:wards?)?|from here on(?: out)?|going forward|moving forward|in (?:the )?future|henceforth"
    r"|for (?:all |any )?future \w+|in general|next time"
)
_IN_PROJECT = rf"(?:in|for|across|within|throughout) (?:this|our|my|the) (?:whole |entire )?(?:{PROJECT_NOUNS})"
_EVERY_TIME = r"every (?:single )?time|each (?:and every )?time|all the time|at all times"
_CLAUSE = r"(?:^|[,;:(] |(?<= )(?:and|but|so|please|then) |- |— )(?:please |just |also )*"
_NOT = r"(?:don't|do not|dont)"
_WE_DO = (
    r"(?:use|follow|keep|put|write|name|store|stick (?:with|to)|run|deploy|test|commit|target|support|ship|format"
    r"|lint|import"
    r"|prefix|build|treat|log|squash|rebase|tag|document|mock|call|avoid|develop|release|branch|work)"
)
_WE_DO_NOT = (
    r"(?:use|commit|allow|mock|hardcode|hard-code|push|merge|edit|rebase|squash|touch|do|mix|put|write|add|import"
    r"|vendor|ship"
    r"|rely|name|deploy|accept|tolerate|catch|swallow|depend|support|force-push|install|skip)"
)
_GENERIC_TIME = (
    r"(?:before|after|prior to) (?:you )?(?:every|each|any|committing|pushing|merging|releasing|deploying|opening"
    r"|creating|submitting"
    r"|writing|editing|changing|refactoring|starting|implementing|adding|making|deleting|coding|finishing|publishing)"
)
_NOUN = rf"(?:{'|'.join(sorted(CODE_NOUNS))})"
_PLURAL = rf"(?:{'|'.join(sorted(noun for noun in CODE_NOUNS if noun.endswith('s')))})"
_DUTY = (
    r"(?:should(?:n't)?|must(?:n't)?|needs? to|need|have to|has to|ought to|may not|can't|cannot|shall|will|always"
    r"|never|go(?:es)? in"
    r"|go(?:es)? (?:to|into|under)|belongs? (?:in|to)|lives? (?:in|under)|are to|is to)"
)
_CHOSEN = r"(?:preferred|recommended|canonical|standard|official)"
_WAY = r"(?:approach|way|pattern|method|style|choice|tool|option|library|format|practice|solution)"


def _form(
    name: str,
    cues: str,
    pattern: str,
    *,
    says: str = "{what}",
    needs: Needs = Needs.NOTHING,
    opens_with: str = "",
    category: InsightCategory | None = None,
) -> Phrasing:
    return Phrasing(name, frozenset(cues.split("|")), re.compile(pattern), says, needs, opens_with, category)


# In the order of how surely they are meant to last; the first that fits is taken.
FORMS = (
    _form(
        "do, that is what it is for",
        "that's what",
        r"(?:^|\b(?:no|and|but|said|so),? )(?P<what>(?:don't|do not|never|use"
        r"|put) .{4,}\bthat's what [\w`./-]+ (?:is|are)(?: there)? for)\b",
    ),
    _form(
        "that is what it is for",
        "that's what",
        r"^(?P<what>.{8,}\bthat's what (?!we |i |you |they )[\w`./-]+ (?:is|are)(?: there)? for)\b",
    ),
    _form("from now on", "", rf"^(?:please )?(?:{_FROM_NOW_ON})\W+(?P<what>.+)$", opens_with="instructs"),
    _form(
        "as a rule",
        "",
        r"^(?:as a (?:general )?rule(?: of thumb)?|by convention|rule of thumb)\W+(?P<what>.+)$",
    ),
    _form(
        "from now on, last",
        "now on|forward|future|time|here on|henceforth",
        rf"{_CLAUSE}(?P<what>\w.+?),? (?:{_FROM_NOW_ON}|{_EVERY_TIME})(?:,? (?:please|pls|ok|okay|thanks))?\W*$",
        opens_with="instructs",
    ),
    _form("want you to", "you to ", r"\bi(?:'d)? (?:want|like|need|expect) you to (?P<what>(?:always|never) .+)$"),
    _form(
        "always, you",
        "always |never |only ever ",
        rf"{_CLAUSE}(?:you|we|agents|everyone)(?:'ll)? (?:should |must |need to |have to |shall |do |will "
        r"|want to )?"
        r"(?P<what>(?:always|never|only ever) .+)$",
        opens_with="verb",
    ),
    _form("always", "", r"^(?P<what>(?:always|never) .+)$", opens_with="verb"),
    _form(
        "things of a kind",
        "",
        r"^(?P<what>(?:(?:new|our) )?(?:(?!the |these |those |my |some |many |most )[a-z-]+ )?"
        rf"{_PLURAL} {_DUTY} .+)$",
    ),
    _form("and always", "always |never ", rf"{_CLAUSE}(?P<what>(?:always|never) .+)$", opens_with="known verb"),
    _form(
        "not ever",
        " ever ",
        rf"{_CLAUSE}(?:you should |we should )?{_NOT} ever (?P<what>.+)$",
        says="Never {what}",
        opens_with="verb",
    ),
    _form("no, we use", "", r"^(?P<what>no [\w.\-` ]{2,30}(?:[,;:]| —| -) ?(?:we|only|please|use|just) .+)$"),
    _form("no more", "no more ", rf"{_CLAUSE}(?P<what>no more \w.+)$", needs=Needs.GENERAL),
    _form(
        "whenever",
        "when|time",
        rf"^(?P<what>(?:whenever|{_EVERY_TIME}|any ?time) (?:you|we|i|a|an|the|there|any|something"
        r"|\w+ing)\b[^,]{3,}, .+)$",
        opens_with="condition",
    ),
    _form(
        "when doing",
        "",
        r"^(?P<what>(?:when|while|if|before|after) (?:you're |you are |we're )?\w+ing\b[^,]{3,}, .+)$",
        opens_with="condition",
    ),
    _form(
        "when you do",
        "",
        r"^(?P<what>(?:when|if|before|after|once) (?:you|we) (?:ever )?\w+ (?:\w+ ){0,2}?(?:a|an|any|new"
        r"|code|\w+s)\b[^,]*, .+)$",
        opens_with="condition",
    ),
    _form(
        "if you do, also",
        "also |must |always |never ",
        r"^(?P<what>(?:when|if|before|after|once) (?:you|we) \w+ [^,]+, (?:you (?:must|should|need to|have to)|also"
        r"|always|never)\b.+)$",
    ),
    _form(
        "decided",
        "we",
        r"\bwe(?:'ve| have)? (?:already |just )?(?:decided|agreed|settled|standardi[sz]ed) (?:on"
        r"|upon) (?P<what>.+)$",
        says="Go with {what}",
        category=InsightCategory.DECISION,
    ),
    _form(
        "decided to",
        "we",
        r"\bwe(?:'ve| have)? (?:already |just )?(?:decided|agreed|chose|opted) (?:to|that) (?P<what>.+)$",
        category=InsightCategory.DECISION,
    ),
    _form(
        "decided against",
        "decided",
        r"\bwe(?:'ve| have)? (?:already |just )?decided (?:against|not to) (?P<what>.+)$",
        says="Decided against {what}",
        category=InsightCategory.DECISION,
    ),
    _form(
        "that is decided",
        "that's|this is|it's|that is",
        r"^(?P<what>.{12,}?)(?:,| and| -| —)+ (?:that's|this is|it's|that is) (?:decided|settled|final"
        r"|non-negotiable|(?:our|the|a) (?:hard )?"
        r"(?:decision|rule|convention|policy|standard))\b",
        category=InsightCategory.DECISION,
    ),
    _form(
        "convention",
        "convention|style|standard|policy|rule|practice|guideline|preference",
        r"^(?P<what>(?:the|our|my|team|project|house|repo) (?:[\w-]+ ){0,3}?(?:convention|style|standard"
        r"|policy|rule|practice|guideline"
        rf"|preference)s?(?: here| {_IN_PROJECT}| for [\w ]{{2,40}}?)? (?:is|are)\b.+)$",
    ),
    _form(
        "preferred",
        "preferred|recommended|canonical|standard|official",
        rf"^(?P<what>.{{2,120}}?)(?:'s| is| are) (?:the |our |my |always )*(?:\w+ ){{0,2}}?{_CHOSEN}"
        rf" (?:\w+ )?{_WAY}s?\b(?P<rest> (?:for|in|when|to) .+)?",
        says="Prefer {what}",
    ),
    _form(
        "prefer that you",
        "prefer|rather",
        r"\bi(?:'d)? (?:\w+ )?(?:prefer|rather)(?: it)?(?: if| that| when)? you (?P<what>.+)$",
        opens_with="verb",
    ),
    _form(
        "prefer",
        "prefer ",
        rf"{_CLAUSE}(?:(?:i|we)(?:'d| would| much| really| strongly| generally| always"
        rf"| usually)* )?(?P<what>prefer (?!not )(?![^,]{0,30}\b(?:is|was|isn't|has) ).+)$",
    ),
    _form(
        "hate it when you",
        " you ",
        r"\bi (?:really )?(?:hate|dislike|don't like|can't stand)(?: it)? (?:when|if|that) you (?P<what>.+)$",
        says="Do not {what}",
        opens_with="verb",
    ),
    _form("stop doing", "stop |quit ", rf"{_CLAUSE}(?P<what>(?:stop|quit) \w+ing\b.+)$"),
    _form(
        "ask before",
        " before ",
        rf"{_CLAUSE}(?P<what>(?:always )?(?:ask|tell|show|check|confirm|consult|ping|warn)\b.*\bbefore (?:you"
        r"|\w+ing|any|every|each|making)\b.*)$",
        category=InsightCategory.WORKFLOW,
    ),
    _form(
        "make sure to",
        "",
        r"^(?:make sure|be sure|ensure)(?: that)? (?:to|you(?: always)?|we(?: always)?) (?P<what>.+)$",
        needs=Needs.GENERAL,
        opens_with="verb",
    ),
    _form("make sure", "", r"^(?P<what>(?:make sure|be sure|ensure)\b.+)$", needs=Needs.GENERAL),
    _form(
        "remember",
        "",
        r"^(?:please )?(?:remember|keep in mind|bear in mind)(?: that|:|,) (?P<what>.+)$",
        opens_with="instructs",
    ),
    _form(
        "do not forget",
        "",
        rf"^(?:please )?(?:{_NOT} forget|remember) (?:to|that) (?P<what>.+)$",
        needs=Needs.GENERAL,
        opens_with="instructs",
    ),
    _form(
        "before committing",
        "before |after |prior ",
        rf"{_CLAUSE}(?P<what>[\w-]+ .*\b{_GENERIC_TIME}\b.*)$",
        opens_with="verb",
        category=InsightCategory.WORKFLOW,
    ),
    _form(
        "in this project",
        "",
        rf"^{_IN_PROJECT}(?:[,:]+ ?| (?=(?:we|you|i|always|never|use|don't|do|please|all|only"
        r"|no) ))(?P<what>.+)$",
        opens_with="instructs",
    ),
    _form(
        "in this project, last",
        " in | for | across | within | throughout ",
        rf"{_CLAUSE}(?P<what>\w.+ {_IN_PROJECT})\W*$",
        opens_with="instructs",
    ),
    _form(
        "we do not do",
        "we ",
        rf"{_CLAUSE}we (?:{_NOT}|never|no longer|won't|cannot|can't) (?:ever |generally "
        rf"|usually )?(?P<what>{_WE_DO_NOT}\b .+)$",
        says="Do not {what}",
        needs=Needs.GENERAL,
    ),
    _form(
        "we usually do",
        "we ",
        rf"{_CLAUSE}we (?:(?:always|usually|generally|typically|normally|consistently"
        rf"|exclusively) )?(?P<what>(?<=y )(?:only )?{_WE_DO} .+|only {_WE_DO} .+)$",
    ),
    _form("we do", "we ", rf"{_CLAUSE}we (?P<what>{_WE_DO} .+)$", needs=Needs.CORRECTION),
    _form(
        "you must not",
        "not |n't",
        rf"{_CLAUSE}(?:you|we) (?:must not|mustn't|may not|are not allowed to"
        r"|aren't allowed to) (?P<what>.+)$",
        says="Do not {what}",
        opens_with="verb",
    ),
    _form(
        "you should not",
        "not |n't",
        rf"{_CLAUSE}(?:you|we) (?:should not|shouldn't) (?P<what>.+)$",
        says="Do not {what}",
        opens_with="verb",
        needs=Needs.REASON,
    ),
    _form(
        "no need",
        "n't |not |dont ",
        rf"{_CLAUSE}(?:(?:we|i|you) )?(?:really )?{_NOT} (?:want|need|like) (?:you |us )?to (?P<what>.+)$",
        says="Do not {what}",
        opens_with="verb",
        needs=Needs.REASON,
    ),
    _form(
        "unwanted",
        "n't |not |dont ",
        rf"{_CLAUSE}(?:(?:we|i|you) )?(?:really )?{_NOT} (?:want|need|like|think we want"
        r"|think we need) (?P<what>.+)$",
        says="Avoid {what}",
        needs=Needs.REASON,
    ),
    _form(
        "do not",
        "n't |not |dont ",
        rf"{_CLAUSE}(?P<what>{_NOT} (?!(?:think|know|see|care|understand|worry|believe|mind|feel|get|forget"
        r"|say|be|have|let|like|want|need)\b)[\w-]+ .+)$",
        needs=Needs.GENERAL,
        opens_with="verb",
    ),
    _form("avoid", "", r"^(?P<what>avoid .+)$", needs=Needs.GENERAL),
    _form(
        "precedence",
        "precedence|priority",
        r"^(?:the )?(?:(?:idea|point|rule) is that )?(?P<what>.{3,80}? (?:should |must |always )?(?:takes?"
        r"|has|have|gets?) (?:precedence|priority) over .+)$",
        category=InsightCategory.DECISION,
    ),
    _form("belongs", " belong", r"^(?P<what>[^,]{3,60} belongs? (?:in|to|on|under|with) .+)$"),
    _form(
        "everywhere",
        "everywhere|throughout|consistently| all ",
        r"^(?P<what>(?:use|write|keep|name|spell|format|stick to) .+ (?:everywhere|throughout|consistently"
        r"|in all \w+|for all \w+)\b.*)$",
    ),
    _form("why so many", "", r"^why so many (?P<what>.+)$", says="Avoid so many {what}", needs=Needs.REASON),
    _form(
        "match",
        "match|mirror|sync|line up|identical|consistent",
        r"^(?P<what>.{3,60} (?:should|must|has to|have to|needs? to) (?:always |exactly )?(?:match|mirror"
        r"|stay in sync|be in sync|be kept in sync|line up|be identical|be consistent) .+)$",
        category=InsightCategory.DECISION,
    ),
    _form(
        "not a goal",
        "goal|priority",
        r"^(?P<what>.{3,60} (?:isn't|aren't|is not|are not|is|are) (?:a|the|our) (?:non-)?(?:goal"
        r"|priority))\b",
        category=InsightCategory.DECISION,
    ),
    _form(
        "all of a kind",
        "all |every |each |any |no ",
        r"^(?P<what>(?:(?:all|every|each|any|no) )(?:(?:of )?(?:our|the"
        rf"|new) )?(?:[\w-]+ ){{0,3}}?{_NOUN}\b.{{0,60}}? {_DUTY} .+)$",
    ),
    _form(
        "this, not that",
        " not | never | instead | rather ",
        rf"{_CLAUSE}(?P<what>(?:use|run|write|put|call|name|import|install|go with|stick (?:to|with)|return"
        r"|throw|place|keep|test|build) .+?(?:,? (?:not|never)|,? instead of|,? rather than) .+)$",
        needs=Needs.CORRECTION,
    ),
    _form(
        "better",
        "better ",
        r"\bbetter (?:that )?(?:we|you|if we|if you) (?P<what>.+? (?:rather than|instead of|than) .+)$",
        category=InsightCategory.DECISION,
    ),
    _form(
        "to be so",
        "should|must|need|has to|have to|can|only for",
        r"^(?:(?:the )?(?:idea|point|rule) is that )?(?P<what>(?!it |this |that |there |you |we |i |they "
        r"|he |she |what |which |who |these |those )(?:(?!(?:can|is|are|was|were|so|but|if|when|has|had|it"
        r"|you|we|i|does|did) )[^\s,]+ ){1,7}?(?:should|must|needs? to|has to|have to|shouldn't|mustn't"
        r"|cannot|can't|(?:is|are) (?:not for [^,]+ but )?only for) .+)$",
        needs=Needs.REASON,
        category=InsightCategory.DECISION,
    ),
    _form(
        "let us",
        "",
        r"^(?:let's|we should|you should|you need to|we need to|we must|you must) (?P<what>(?:use|go with"
        r"|keep|stick|avoid|treat|store|put|leave|name|call|support|not) .+)$",
        needs=Needs.REASON,
        category=InsightCategory.DECISION,
    ),
    _form("wanted", "", r"^(?P<what>we want .+)$", needs=Needs.REASON, category=InsightCategory.DECISION),
    _form(
        "corrected",
        "just |please |instead ",
        r"^(?:.*[,;] )?(?:just |please |instead )+(?P<what>[\w-]+ .+)$",
        opens_with="verb",
        needs=Needs.CORRECTION,
    ),
)  # fmt: skip

# `for file names`, `for migrations`: whatever is chosen for these is chosen for good.
FOR_A_KIND = re.compile(rf"\bfor (?:all |new |our )?(?:[\w-]+ )?{_PLURAL}\b")

CUES = frozenset().union(*(form.cues for form in FORMS))

# The same in the languages next to English, where the words alone are clear.
_OTHER_TONGUES = (
    r"^(?:bitte )?(?P<what>(?:ab jetzt|ab sofort|von nun an|in zukunft|künftig|grundsätzlich|merk dir)\b.+)$",
    r"^(?:bitte )?(?P<what>(?:verwende|benutze|nutze|nimm|schreibe?|mache?|führe|füge|lasse?|prüfe|frage?|teste"
    r"|committe|pushe|nenne|halte)"
    r" (?:\S+ ){0,6}?(?:immer|nie|niemals|nur noch|stets)\b.+)$",
    r"^(?:bitte )?(?P<what>(?:immer|nie|niemals|stets) [^,]*(?:en|ern|eln)\b(?:,.*)?[.!]*)$",
    r"^(?P<what>(?:wir (?:verwenden|benutzen|nutzen|schreiben|committen|testen)|bei uns|in diesem (?:projekt|repo)"
    r"|ich bevorzuge)\b.+)$",
    r"^(?P<what>(?:à partir de maintenant|désormais|dorénavant|dans ce (?:projet|dépôt|repo)|je préfère|(?:on"
    r"|nous) (?:n')?utilis(?:e|ons))\b.+)$",
    r"^(?:s'il te plaît |stp )?(?P<what>(?:ne |n')\S+(?: \S+){0,3}? jamais\b.+)$",
    r"^(?P<what>(?:utilise|mets|écris|lance|fais|garde|demande|vérifie) toujours\b.+|toujours \w+(?:er|ir|re)\b.+)$",
    r"^(?:por favor )?(?P<what>(?:de ahora en adelante|a partir de ahora|en este (?:proyecto|repo|repositorio)"
    r"|prefiero|recuerda que|(?:no )?usamos)\b.+)$",
    r"^(?:por favor )?(?P<what>siempre (?:usa|utiliza|escribe|pon|haz|ejecuta|corre|mantén|pregunta|revisa|verifica"
    r"|prueba|sigue|añade|agrega|que)\b.+"
    r"|(?:usa|utiliza|escribe|pon|haz|ejecuta|mantén|pregunta) siempre\b.+|nunca \w+(?:es|as)\b.+)$",
    r"^(?:por favor )?(?P<what>(?:de agora em diante|daqui (?:pra|para) frente|a partir de agora|neste (?:projeto"
    r"|repo|repositório)|prefiro|lembre-se de"
    r"|(?:não )?usamos)\b.+)$",
    r"^(?:por favor )?(?P<what>(?:sempre|nunca|jamais) (?:use|usar|rode|faça|escreva|coloque|pergunte|execute"
    r"|mantenha|adicione|commite|crie|altere|modifique"
    r"|teste|verifique)\b.+)$",
)  # fmt: skip
OTHER_TONGUES = tuple(
    Phrasing("in another tongue", frozenset({""}), re.compile(pattern), opens_with="foreign")
    for pattern in _OTHER_TONGUES
)

# The line before a list, each item of which then lasts.
RULES_FOLLOW = re.compile(
    rf"\b(?:rules?|conventions?|guidelines?|preferences|standards|remember|keep in mind|{_FROM_NOW_ON}|always|never"
    rf"|{_IN_PROJECT}|do's|don'ts"
    r"|regeln|konventionen|règles|conventions|reglas|convenciones|regras|convenções)\b.*:$"
)
