"""Function words and negations in six languages, and the characters that words are made of."""

from __future__ import annotations


def words_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = words_of("""
    a an the this that these those my your his her its our their some any each every
    der die das den dem des ein eine einen einem einer eines
    le la les un une du el los las una uno unos unas o os um uma uns umas il lo gli
""")
"""Articles and other determiners."""

PRONOUNS = words_of("""
    i me mine myself you yours yourself he him himself she hers herself it itself we us ours ourselves they them theirs
    themselves
    ich du er sie es wir ihr sich je tu il elle nous vous ils elles se ele eles ela elas
""")
"""Pronouns."""

ENGLISH = words_of("""
    of to in on at by for from with into onto over under about as than between through during per via upon within
    across
    and or but so if when while because since until unless although though whether where why how then
    who whom whose which what there here all both such
    is are was were be been being am do does did done doing has have had having can could may might must shall should
    will would
    very also only just too more most yet
""")
"""Prepositions, conjunctions, auxiliaries and adverbs."""

GERMAN = words_of("""
    und oder aber mit von vom zu im am zum zur auf für ist sind war wird werden wurde wurden auch als wie bei nach aus
    um dass wenn weil dann noch nur
""")
FRENCH = words_of("""
    de et ou mais dans sur pour par avec que qui est sont être ont au aux ce cette ces sa son ses dont leur leurs
""")
SPANISH = words_of("""
    y pero en con por para es son del al su sus lo esta este esto estas estos ese esa muy que
""")
PORTUGUESE = words_of("""
    e mas em no na nas nos do da dos das ao aos com é são foi sua seu mais pelo pela isso isto
""")
ITALIAN = words_of("di che per della è")

FUNCTION_WORDS = DETERMINERS | PRONOUNS | ENGLISH | GERMAN | FRENCH | SPANISH | PORTUGUESE | ITALIAN
"""Stop words."""

DENIALS = words_of("not no nor nicht kein keine keinen keinem keiner keines ne pas não nao non")
"""The plain negations; function words as well."""

NEGATIONS = DENIALS | words_of("""
    never neither none nobody nothing cannot without hardly barely
    cant dont doesnt didnt isnt arent wasnt wont wouldnt shouldnt mustnt couldnt hasnt havent
    nie niemals ohne jamais sans aucun aucune ni nunca jamás sin ninguno ninguna sem senza
""")
"""Every word that negates by itself."""

ALWAYS = words_of("always immer stets toujours siempre sempre")

SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts without spaces between words."""

VOWEL_SIGNS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    r"\u200c\u200d"
)
"""Vowel signs and accents: part of a word, although not letters."""
