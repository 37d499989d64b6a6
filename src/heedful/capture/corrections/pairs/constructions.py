"""How people say `this instead of that`, in English, German, French, Spanish and Portuguese.

Each construction is read from one sentence and tells the wrong (`x`) and the right (`y`) words as they were said. What
they mean in the output is for others to find: `the deadline` in `change the deadline to Friday` is no wrong word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from heedful.text.lazy_pattern import LazyPattern


class Sense(Enum):
    EXCHANGED = "x is the wrong text"
    CONTRASTED = "x is the wrong text; y is the end of a clause"
    BESIDE = "the same, if x is in the output"
    ARROW = "x is the wrong text, if it is in the output: code has arrows too"
    SET = "x is the wrong text, or the thing that has it"
    STATED = "only what is right is said"
    SPELLED = "y is the spelling of a word that is there"
    DENIED = "only what is wrong is said"


class Construction(NamedTuple):
    sense: Sense
    x: str
    y: str
    is_clause: bool  # y comes first, with all that precedes it


_X, _Y = r"(?P<x>\S.{0,150}?)", r"(?P<y>\S.{0,200}?)"
_REST = r"(?P<y>\S.{0,200})"
_REST_X = r"(?P<x>\S.{0,150})"
_THERE = (
    r"(?:(?:it|that|this|they|we|i|you|he|she|there|es|das|wir|ich|c|ce|ça|on|nous|je|lo|eso|isso|ele|ela)\W{0,2})?"
)

_CONSTRUCTIONS: tuple[tuple[Sense, str], ...] = (
    # English
    (
        Sense.EXCHANGED,
        rf"\b(?:replac(?:e|ing)|swap(?: out)?|substitute|exchange|interchange|supersede|switch(?: out)?) {_X}"
        rf" (?:with|by|for) {_REST}",
    ),
    (Sense.EXCHANGED, rf"(?:^|, |\band |\bthen |\bplease )change {_X} (?:with|by|for) {_REST}"),
    (Sense.EXCHANGED, rf"\b(?:rename {_X} (?:to|into|as)|turn {_X.replace('<x>', '<x2>')} into) {_REST}"),
    (Sense.EXCHANGED, rf"\bput {_Y} in(?: the)? place of {_REST_X}"),
    (Sense.SET, rf"\b(?:change|correct|fix|update|set|switch|convert|edit|amend) {_X} (?:to|into) {_REST}"),
    (Sense.CONTRASTED, rf"^instead of {_X},? (?:(?:use|write|say|put|do|make it|it should be|have|try)\b ){_REST}"),
    (Sense.CONTRASTED, rf"^instead of {_X}, {_REST}"),
    (Sense.CONTRASTED, rf"^{_Y},? (?:instead of|rather than|in place of|as opposed to) {_REST_X}"),
    (
        Sense.CONTRASTED,
        rf"^(?:\w+ )?(?:we|i|they|you)?\s?(?:don['’]?t|do not|never|didn['’]?t|did not|shouldn['’]?t) (?P<verb>use|want"
        rf"|mean|call|say|write|need|have|put|like|ask for|work with) {_X}(?:,| -|;| but|,? and)"
        rf" (?:but )?(?:(?:instead|please|always|just) )?(?:(?:we|i|they|you) )?(?:always |only |just )?(?:use|want"
        rf"|wanted"
        rf"|meant|mean|call|say|write|need|have|put|prefer|like|asked for|work with) (?:it )?{_REST}",
    ),
    (
        Sense.CONTRASTED,
        rf"^{_THERE}(?:.{{0,60}}? )?(?:is|are|was|were|should)(?:n['’]t| not)(?: be| called| named)? {_X}"
        rf"(?:,|;| -| but|,? and) (?:but )?(?:rather )?(?:(?:it|that|they|this)\W{{0,2}}(?:s|is|are|re|was"
        rf"|should be) )?"
        rf"{_REST}",
    ),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?not {_X},? but(?: rather)? {_REST}"),
    (
        Sense.CONTRASTED,
        rf"^not {_X}, (?:but )?(?:(?:it|that|they|this)\W{{0,2}}(?:s|is|are|re|was|should be) |use )?{_REST}",
    ),
    (
        Sense.SET,
        rf"^{_X} (?:is|was|are) (?:wrong|incorrect|not (?:right|correct))[,:] "
        rf"(?:it['’]?s |it is |it should be |should be )?{_REST}",
    ),
    (Sense.CONTRASTED, rf"^{_Y}(?:,? and|,|\() ?not {_REST_X}"),
    (
        Sense.BESIDE,
        rf"^(?P<y>\S.{{0,120}}(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bbe)"
        rf"(?<!['’]s)(?<!['’]re)(?<!\byoure)(?<!\bits)) not {_REST_X}",
    ),
    # German
    (Sense.EXCHANGED, rf"\b(?:ersetzen? sie|ersetze?|ersetzen|tausche?(?: sie)?) {_X} (?:durch|mit|gegen) {_REST}"),
    (Sense.EXCHANGED, rf"^{_X} (?:bitte )?durch {_Y} (?:ersetzen|austauschen)$"),
    (Sense.EXCHANGED, rf"\bbenennen?(?: sie)? {_X} in {_Y} um\b"),
    (Sense.EXCHANGED, rf"^{_X} in {_Y} umbenennen$"),
    (Sense.SET, rf"\b(?:änder[en]?n?(?: sie)?|korrigiere?n?|setze?) {_X} (?:in|zu|auf) {_REST}"),
    (Sense.CONTRASTED, rf"^(?:an)?statt {_X},? (?:lieber |besser |bitte )?{_REST}"),
    (Sense.CONTRASTED, rf"^{_Y},? (?:an)?(?:statt|stelle von) {_REST_X}"),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?(?:nicht|kein(?:e[nmrs]?)?) {_X},? sondern {_REST}"),
    (
        Sense.CONTRASTED,
        rf"^(?:wir|ich|man) \w{{3,20}} (?:nicht|kein(?:e[nmrs]?)?) {_X}, (?:sondern|(?:wir|ich"
        rf"|man) \w{{3,20}}) {_REST}",
    ),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?(?:ist|sind|war|heißt) (?:nicht|kein(?:e[nmrs]?)?) {_X}, {_REST}"),
    (Sense.CONTRASTED, rf"^{_Y}, (?:und )?(?:nicht|kein(?:e[nmrs]?)?) {_REST_X}"),
    # French
    (Sense.EXCHANGED, rf"\b(?:remplace[rz]?|substitue[rz]?) {_X} (?:par|avec) {_REST}"),
    (Sense.EXCHANGED, rf"\b(?:renomme[rz]?|transforme[rz]?) {_X} en {_REST}"),
    (Sense.SET, rf"\b(?:change[rz]?|corrige[rz]?|modifie[rz]?|mets|mettez) {_X} (?:en|pour|par|à) {_REST}"),
    (
        Sense.CONTRASTED,
        rf"^{_Y},? (?:au lieu (?:de |d['’]|du |des )|à la place (?:de |d['’]|du |des )|plutôt qu(?:e |['’])){_REST_X}",
    ),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?(?:pas|non) (?:de |d['’])?{_X},? mais(?: plutôt)? {_REST}"),
    (
        Sense.CONTRASTED,
        rf"^(?:on|nous|je) n['’e]\s?\w{{3,20}} pas (?:de |d['’])?{_X},? (?:mais )?(?:(?:on|nous|je"
        rf"|j['’]) ?\w{{3,20}} )?{_REST}",
    ),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?n['’]est pas {_X},? (?:mais |c['’]est ){_REST}"),
    (Sense.CONTRASTED, rf"^{_Y}, (?:et )?(?:pas|non) {_REST_X}"),
    # Spanish and Portuguese
    (
        Sense.EXCHANGED,
        rf"\b(?:reemplaz[ae]r?|sustituy[ea]|sustituir|substitu[aie]r?|troque|troca|trocar|cambi[ae]r?|mud[ae]r?"
        rf"|substitua)"
        rf" {_X} (?:por|con|com) {_REST}",
    ),
    (Sense.EXCHANGED, rf"\b(?:renombr[ae]r?|renomei[ae]|renomear) {_X} (?:a|como|para|en) {_REST}"),
    (
        Sense.SET,
        rf"\b(?:cambi[ae]r?|mud[ae]r?|alter[ae]r?|corrig[ae]|corrij[ae]|troque|pon) {_X} (?:a|para|en|em) {_REST}",
    ),
    (Sense.CONTRASTED, rf"^(?:en|em) (?:vez|lugar) del? {_X},? {_REST}"),
    (Sense.CONTRASTED, rf"^{_Y},? (?:en (?:vez|lugar) de(?:l)?|em (?:vez|lugar) d[eoa]s?|ao invés d[eoa]s?) {_REST_X}"),
    (
        Sense.CONTRASTED,
        rf"^(?:.{{0,60}}? )?(?:no|não|nao) (?:es |é |son |são )?{_X},? (?:sino|mas sim|e sim|mas) {_REST}",
    ),
    (
        Sense.CONTRASTED,
        rf"^(?:no|não|nao) (?P<verb>us|utiliz|quer|quier|dig|diss|escrib|escrev)\w{{1,8}} {_X},? (?:sino |mas |e sim )?"
        rf"(?P=verb)\w{{1,8}} {_REST}",
    ),
    (Sense.CONTRASTED, rf"^(?:.{{0,60}}? )?(?:no|não|nao) (?:es|é|son|são) {_X}, (?:es|é|son|são) {_REST}"),
    (Sense.CONTRASTED, rf"^{_Y}, (?:y |e )?(?:no|não|nao) {_REST_X}"),
    # any language
    (
        Sense.ARROW,
        rf"(?:^|[,:(] ?)(?:(?:it['’]s )?(?:spelled|typo|nit):? )?(?P<x>[^\s,:()][^,:()]{{0,80}}?)\s?(?:->|→|=>|⇒|-->"
        rf"|~>)\s?{_REST}",
    ),
    # only what is right, or what is a thing
    (Sense.SPELLED, rf"\b(?:is |['’]s |it['’]s )?(?:spelled|spelt|written)(?: as| like|:)? {_REST}"),
    (
        Sense.SPELLED,
        rf"\b(?:schreibt (?:man|sich)|wird) {_Y}(?: geschrieben)$|\b(?:schreibt (?:man|sich)|man schreibt (?:es|das"
        rf"|ihn|sie))(?: mit)? {_REST.replace('<y>', '<y2>')}",
    ),
    (Sense.SPELLED, rf"\b(?:s['’]écrit|se escribe|escreve-se|se escreve)(?: com| con| como)? {_REST}"),
    (Sense.STATED, rf"\b(?:i|we) (?:said|meant|asked for|decided on|wanted|agreed on|told you)(?: to use)? {_REST}"),
    (Sense.STATED, rf"^ich (?:sagte|meinte|wollte) {_REST}|^ich habe {_Y.replace('<y>', '<y2>')} (?:gesagt|gemeint)$"),
    (
        Sense.STATED,
        rf"^(?:j['’]ai dit|je voulais(?: dire)?|(?:yo )?(?:dije|quería|quise decir)|(?:eu )?(?:disse|queria"
        rf"|quis dizer)) {_REST}",
    ),
    (
        Sense.SET,
        rf"^{_X} (?:should(?: really| actually| have)? (?:be(?:en)?|read|say)(?: called| named)?|must be|needs to be"
        rf"|ought to be|has to be|is supposed"
        rf" to be|(?:is|are|was) (?:actually|really)|muss|sollte?n?|devrait être|doit être|debería ser|debe ser"
        rf"|tiene que ser"
        rf"|deveria ser|deve ser|tem que ser) {_REST}",
    ),
    (
        Sense.SET,
        r"^(?P<x>(?:the|our|my|your|his|her|der|die|das|unsere?|le|la|les|l['’]|el|los|las|o|a|os|as|notre|nuestr[oa]"
        r"|noss[oa]) ?.{1,80}?)"
        rf" (?:is|are|was|ist|sind|war|est|sont|es|son|é|são|era) {_REST}",
    ),
    (
        Sense.STATED,
        rf"^(?:it|that|this|there|they|es|das|c|ce|ça|eso|isso|make it|it should|should)\W{{0,2}}(?:s|is|are|re|was"
        rf"|should be"
        rf"|must be|needs to be|be|should return|should say|should read|has to be|return|ist|est|es|é|muss|sollte"
        rf"|doit être"
        rf"|devrait être|debería ser|debe ser|deveria ser|deve ser)? (?:in |at |on |im |dans |en |em |called "
        rf"|named )?{_REST}",
    ),
    (Sense.DENIED, rf"^.{{0,60}}?(?:\bis|\bare|\bwas|\bwere|['’]s)(?: not|n['’]t) {_REST_X}$"),
)
_PATTERNS = tuple((sense, LazyPattern(pattern, re.IGNORECASE)) for sense, pattern in _CONSTRUCTIONS)


def readings(sentence: str) -> Iterator[Construction]:
    """What a sentence may say, the surest construction first."""
    for sense, pattern in _PATTERNS:
        match = pattern.search(sentence)
        if match:
            groups = match.groupdict()
            x, y = groups.get("x") or groups.get("x2") or "", groups.get("y") or groups.get("y2") or ""
            both = bool(groups.get("x") and groups.get("y"))
            yield Construction(sense, x, y, is_clause=both and match.start("y") < match.start("x"))
