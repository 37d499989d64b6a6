"""The category and severity of a correction."""

from __future__ import annotations

import re

from heedful.records.correction import Category
from heedful.text.lazy_pattern import LazyPattern

_MESSAGE = 2_000  # characters
_OUTPUT = 4_000

_CUES = (  # the first that is met; what holds for ever or for us says more than what it is about
    (
        Category.DOMAIN,
        r"\bour (?:company|team|org(?:anisation|anization)?|business|customers?|clients?|policy|policies|contract"
        r"|terms|brand|product"
        r"|products|industry|legal|pricing|plans?|process|terminology|users|members|patients|region|market|warehouse"
        r"|fiscal)\b"
        r"|\b(?:in|at|for) our \w+|\bwe (?:call|say|refer to|don['’]?t (?:call|say))\b"
        r"|\b(?:customers?|clients?|patients?|tenants?) (?:are|is|call"
        r"|get|have|must|expect)\b|\b(?:compliance|regulator|contractually|sla|fiscal year|internally)\b"
        r"|\bhere (?:at|in) [A-Z]\w+|\bat [A-Z]\w+,? we\b"
        r"|\b(?:bei uns|unsere[nrms]? (?:firma|kunden?|team|vertrag|richtlinie\w*)|wir (?:nennen|sagen)|chez nous"
        r"|notre (?:entreprise|société"
        r"|client\w*|politique|équipe)|nos clients|on (?:appelle|dit)|en nuestra empresa"
        r"|nuestr[oa]s? (?:empresa|clientes?|equipo|política)"
        r"|llamamos|decimos|na nossa empresa|noss[oa]s? (?:empresa|clientes?|equipe|política)|chamamos|dizemos)\b",
    ),
    (
        Category.PREFERENCE,
        r"\b(?:always|never|prefer\w*|from now on|in (?:the )?future|next time|every time|rather have"
        r"|i(?:['’]d)? (?:like|love|hate)"
        r"|we (?:always|never|only)?\s?(?:use|don['’]?t use|do not use|go with|agreed|decided)"
        r"|i (?:don['’]?t )?(?:like|want|need)"
        r"|(?:don['’]?t|do not|stop|no need to) (?:add|adding|use|using|include|including|write|writing|put|putting"
        r"|mention|need|want)"
        r"|my (?:preference|taste)|immer|niemals|nie|lieber|bevorzuge?n?|wir (?:verwenden|nutzen|benutzen)|ich mag"
        r"|mag ich"
        r"|toujours|jamais|préf[eè]re\w*|(?:on|nous) (?:n['’])?utilis\w+|j['’]aime|siempre|nunca|prefer[ii]\w+"
        r"|prefiero|usamos"
        r"|me gusta|sempre|prefiro|gosto)\b",
    ),
    (
        Category.LOGIC,
        r"\b(?:off[- ]by[- ]one|edge cases?|corner cases?|forgot(?:ten)? (?:the|to|about)|(?:the )?case (?:where|when"
        r"|that)|condition\w*"
        r"|logic\w*|reasoning|contradict\w*|wrong order|order (?:is|of)|sequence|before|after|first|steps?|infinite"
        r"|loop|recursion|inverted"
        r"|reversed|backwards|doesn['’]?t follow|assum\w+|does ?n['’]?t add up|add up|calculat\w+|arithmetic|sum"
        r"|average|multipl\w+"
        r"|divid\w+|round\w*|greater|less than|at least|at most|instead of (?:and|or)|race|deadlock|reihenfolge"
        r"|bedingung|logik|vergessen"
        r"|berechn\w+|schritt|ordre|étape|calcul\w*|oublié|orden|paso|cálculo|olvidaste|ordem|passo|esqueceu)\b",
    ),
    (
        Category.STYLE,
        r"\b(?:spell\w*|spelt|typos?|tone|formal\w*|informal|casual|friendl\w+|polite\w*|short(?:er|en)?|long(?:er)?"
        r"|concise|verbose|wordy|brief"
        r"|bullets?|bullet points?|format\w*|indent\w*|tabs|spaces|whitespace|emojis?|comments?|comma|punctuation"
        r"|capitali[sz]\w*|capitals|capital letters?|lower ?case|upper"
        r" ?case|snake[_ ]?case|camel[_ ]?case|kebab[_ ]?case|heading|markdown|bold|italics?|sentences?|paragraphs?"
        r"|wording|phras\w+|grammar"
        r"|passive|tense|british|american|naming|quotes|line breaks?|style|jargon|simpler|plain|ton|förmlich|kürzer"
        r"|länger|rechtschreib\w+"
        r"|schreib\w*|komma|absatz|plus court|formel|orthographe|virgule|s['’]écrit|tabulations?|espaces|más corto"
        r"|ortografía|se escribe|coma"
        r"|tuteo|mais curto|mais formal|escreve-se|vírgula|written)\b",
    ),
    (
        Category.CODE,
        r"\b(?:functions?|methods?|class(?:es)?|variables?|api|endpoint|files?|folder|director(?:y|ies)|imports?"
        r"|return\w*|null|nil|undefined"
        r"|none|async|await|const|var|let|int|string|boolean|type ?error|exception|stack ?trace|compil\w+|tests?"
        r"|lint\w*|build|branch|commit"
        r"|merge|query|sql|table|column|schema|database|regex|json|yaml|toml|html|css|library|package|module"
        r"|dependency|dependencies|server"
        r"|deprecated|argument|parameter|callback|hook|component|config\w*|flag|cli|funktion|methode|klasse|datei"
        r"|fichier|fonction|función"
        r"|archivo|função|arquivo|readme|template|refactor\w*|duplicat\w*|syntax)\b",
    ),
)
_COMPILED = tuple((category, LazyPattern(cues, re.IGNORECASE)) for category, cues in _CUES)
_CASING = LazyPattern(r"\b(?:snake|camel|kebab|pascal|upper|lower|title)[_ -]?case\b", re.IGNORECASE)
_CODE = LazyPattern(
    r"`[^`\n]{1,200}`|```|\b\w+\(\)|\b[a-z]+_[a-z]\w*\b|\b[a-z]+[A-Z]\w+\b|\b\w+\.(?:py|js|ts|go|rs|java|rb|sql|tsx"
    r"|css)\b"
)

_GRAVE = LazyPattern(
    r"\b(?:danger\w*|data ?loss|los(?:e|t|ing) (?:data|work|money|everything)|delet(?:e|es|ed|ing) (?:the )?(?:prod\w*"
    r"|data\w*|everything)"
    r"|security|vulnerab\w*|injection|leak\w*|password|credentials?|secret|illegal|unsafe|legal|lawsuit|patient"
    r"|allerg\w*|dosage|production"
    r"|outage|critical|catastroph\w*|harmful|gefährlich|datenverlust|sicherheit\w*|dangereux|sécurité|peligros[oa]"
    r"|seguridad|perigos[oa]"
    r"|segurança)\b",
    re.IGNORECASE,
)
_STRONG = LazyPattern(
    r"\b(?:wrong|incorrect|false|broke\w*|breaks|fail\w*|crash\w*|never|nonsense|completely|totally|absolutely"
    r"|terribl\w+|awful|hell|wtf|wth"
    r"|dumb|stupid|useless|unacceptable|must|serious\w*|made up|invented|hallucinat\w*|not what i asked|makes no sense"
    r"|doesn['’]?t work"
    r"|did nothing|falsch|kaputt|niemals|völlig|unsinn|faux|cassé|jamais|complètement|incorrecto|roto|nunca"
    r"|completamente|errado"
    r"|quebrado|totalmente|ignored)\b",
    re.IGNORECASE,
)
_UNDO = LazyPattern(
    r"\b(?:undo|revert|roll(?:ed)? ?back|put (?:it|that|them) back|restore|start over|take (?:it|that) back|rückgängig"
    r"|zurücksetzen|annule\w*"
    r"|deshaz|deshacer|revierte|desfaça|desfazer|reverta)\b",
    re.IGNORECASE,
)
_SLIGHT = LazyPattern(
    r"\b(?:nit|nits|nitpick\w*|minor|slight\w*|small|tiny|little|just a|a bit|typos?|cosmetic|maybe|perhaps|optional"
    r"|if possible|would be nice"
    r"|would be good|not a big deal|no big deal|kleinigkeit|tippfehler|etwas|ein bisschen|vielleicht|petite?|un peu"
    r"|peut-être"
    r"|pequeñ[oa]|un poco|quizás|pequen[oa]|um pouco|talvez)\b",
    re.IGNORECASE,
)
_SHOUTED = LazyPattern(r"\b[A-Z]{4,}\b(?=.*[a-z])|!{2,}|[?!]{3,}", re.DOTALL)
_BASE = {
    Category.FACTUAL: 0.5,
    Category.LOGIC: 0.55,
    Category.CODE: 0.5,
    Category.DOMAIN: 0.5,
    Category.PREFERENCE: 0.35,
    Category.STYLE: 0.25,
}
_FACT = LazyPattern(r"[$€£¥]?\s?[-+]?\d[\d.,:/-]{0,30}(?:\s?(?:%|[$€£¥]|[A-Za-zµ]{1,8}))?")


def category(message: str, last_output: str, wrong: str = "", right: str = "") -> Category:
    """The kind of thing that was wrong."""
    message = message[:_MESSAGE]
    (ours, domain), (wish, preference), *rest = _COMPILED
    rules = (
        (ours, domain.search(message)),
        (Category.FACTUAL, _is_fact(wrong) and _is_fact(right)),
        (wish, preference.search(message)),
        (Category.STYLE, _is_respelled(wrong, right) or _CASING.search(message)),
        *((cued, cues.search(message)) for cued, cues in rest),
        (Category.CODE, _CODE.search(message) or ("```" in last_output[:_OUTPUT] and not wrong)),
    )
    return next((found for found, holds in rules if holds), Category.FACTUAL)


def severity(message: str, category: Category, wrong: str = "", right: str = "") -> float:
    """From 0, trivial, to 1, harmful."""
    message = message[:_MESSAGE]
    score = _BASE[category]
    score += 0.1 * _is_fact(wrong)  # a wrong number is believed
    score -= 0.1 * _is_respelled(wrong, right)
    score += (
        0.35 * bool(_GRAVE.search(message)) + 0.15 * bool(_STRONG.search(message)) + 0.2 * bool(_UNDO.search(message))
    )
    score += 0.1 * bool(_SHOUTED.search(message)) + 0.05 * ("!" in message)
    score -= 0.2 * bool(_SLIGHT.search(message))
    return round(min(1.0, max(0.0, score)), 2)


def _is_fact(text: str) -> bool:
    return bool(text) and _FACT.compiled.fullmatch(text[:60]) is not None


def _is_respelled(wrong: str, right: str) -> bool:
    """Whether only the spelling changed, as in `Github` and `GitHub`."""
    return bool(wrong) and wrong.casefold() == right.casefold()
