"""What a message contributes by itself: a word that means something, a name, a value, or one that points at a choice.

What is left of most short messages is nothing: who says `yes`, `hmm`, `no`, `try again` or `still broken` reacts to
what they see, and nobody who was not there learns anything from it. The words with which people agree, refuse, have
something done again and report that it fails are few in every language; any other word says something, so that
`the other one`, `in German, please` and `29` do.
"""

from __future__ import annotations

import re
from functools import cache

from heedful.text.lexicon import NUMBER_WORDS
from heedful.text.terms import terms
from heedful.text.words import DENIALS, FUNCTION_WORDS, words_of

_READ = 300  # characters; who writes more says something
_AGREEING = """
    yes yep yeah yea yup yay ya aye sure ok okay okey k alright right fine good great nice cool perfect excellent
    awesome brilliant lovely lot lots lgtm correct exactly agreed indeed true sounds works looks better thanks thank
    thx ty cheers
    please pls course absolutely definitely certainly hm hmm hmmm mm mmm mhm uh um huh er eh ah aha oh well wow lol
    haha
    hello hi hey bye wait interesting continue proceed next done finished
    ja jo jep jap jawohl klar genau gut super toll prima danke dank bitte passt stimmt richtig einverstanden natürlich
    gerne gern alles weiter mach machen weitermachen schön fertig na gell los
    oui ouais bien sûr entendu parfait merci vas continue continuez continuer suite exact génial accord bon beau
    voilà allez
    sí claro bien vale perfecto gracias sigue seguir continuar adelante exacto bueno acuerdo dale supuesto genial
    listo favor correcto
    sim claro certo beleza bom boa bem perfeito obrigado obrigada continua continue continuar seguir exato pode
    legal valeu tá ótimo acordo
    vamos
"""
_SMALL = """
    thing things something anything way still even now let lets
    hier da doch mal einfach schon so ganz wohl halt nun jetzt man mir mich dir dich bin hab habe hat haben etwas
    ça ca là ici on me te moi toi tu y a ai as ont c'est fait faire peu très trop bon maintenant
    eso ello está están estás estoy hay ya pues yo tú ha he has me te le aquí ahora así solo muy
    já aí está estão estou há isso eu ele ela aqui agora assim só muito ser ter tem
"""
_REFUSING = """
    nope nah nein wrong incorrect false bad terrible awful horrible useless nonsense rubbish bullshit stop cancel
    undo revert
    rollback hold hell wtf ffs argh ugh damn come seriously really quite all at like asked wanted meant mean said
    told forget
    never nothing worse
    falsch schlecht quatsch unsinn mist doch stopp halt rückgängig zurück gefällt gesagt meinte meine wollte gar
    überhaupt
    faux mauvais incorrect merde putain arrête stop annule annuler aime voulu voulais demandé rien tout reviens
    falso mal malo incorrecto mierda para deshaz deshacer gusta me quería pedí nada
    falso errado ruim mal merda pare desfaz desfaça desfazer gostei gosto queria pedi nada isto
"""
_AGAIN = """
    try tried again give retry redo repeat once more attempt rerun over fix make
    versuch versuche versuchs probier probiere probiers nochmal nochmals einmal erneut mal repariere
    essaie essaye réessaie réessaye réessayez essayer encore fois recommence refais répète corrige
    intenta inténtalo intentarlo intentar prueba pruébalo vez repite repítelo vuelve volver hazlo
    arréglalo
    tenta tente tentar novamente vez repita repete refaça refaz
"""
_PERSISTING = """
    still again same
    immer weiterhin wieder gleich gleiche gleicher gleichen selbe derselbe dasselbe
    toujours encore même pareil
    todavía aún sigue siguen mismo misma igual
    ainda continua continuam mesmo mesma
"""
_FAILING = """
    fail fails failed failing failure error errors broken breaks broke crash crashes crashed crashing exception bug
    issue
    problem
    fehler kaputt abgestürzt stürzt problem fehlgeschlagen schlägt fehl meldung fehlermeldung ab
    erreur plante échoue cassé bug problème
    falla fallan fallando falló fallo error roto rota problema
    falha falham falhando falhou erro quebrado quebrada problema
"""
_WORKING = """
    work works worked working help helps helped happen happens happened happening change changed changes compile
    compiles there get got getting result results
    geht ging klappt funktioniert tut läuft hilft geholfen kommt passiert vorher wie
    marche fonctionne passe aide changé change
    funciona funcionó sirve pasa cambia cambió sin funcionar ocurre dando
    funciona funcionou adianta acontece mudou dando funcionar
"""
_REACTIONS = (_AGREEING, _REFUSING, _SMALL, _AGAIN, _PERSISTING, _FAILING, _WORKING)
_CHOOSING = {"both", "either"} | NUMBER_WORDS.keys() - {"one", "once", "dos"}  # which are other words as well
"""Words of grammar that choose, and numbers."""
_AUXILIARIES = words_of("is are was were am do does did have has had can could may might must shall should will would")
_GOING_ON = re.compile(
    r"\b(?:go (?:on|ahead|for it)|carry on|keep (?:it up|going)|no problem|got it|makes sense|isso mesmo|eso es|"
    r"tout à fait)\b",
    re.IGNORECASE,
)
_ONCE_MORE = re.compile(
    r"\b(?:(?:one more|another|a|une autre|otra|outra) (?:time|try|go|attempt|round|shot|fois|vez)|"
    r"(?:de|à) n(?:ouveau|uevo|ovo)|von neuem|(?:go|roll|put|turn|change)(?: (?:it|that|this|them))? back)\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(r"(?:\b(?:the|el|la|los|las|le|les|o|os|as)\s|\bl['’])(?P<one>\w+)\W*$", re.IGNORECASE)
_ONLY_WRONG = re.compile(
    r"\b(?:wrong|incorrect|falsche[nmrs]?|mauvaise?s?|incorrecte?s?) [^\W\d_]+\W*$|"
    r"\b[^\W\d_]+ (?:equivocad[oa]s?|incorret[oa]s?|incorrect[oa]s?|errad[oa]s?)\W*$",
    re.IGNORECASE,
)  # `wrong file`: which one is right, it does not say
_ADDRESSED = re.compile(
    r"\b(?:pas|nicht|kein|statt|not|no|não)\s+(?:tu|toi|vous|du|sie|ihr|tú|usted(?:es)?|vos|você)\W*$", re.IGNORECASE
)  # `vous, pas tu`
_WORD = re.compile(r"[^\W_]+")
_BROKEN_OFF = re.compile(
    r"\w\s+(?:the|an?|my|our|der|den|dem|ein|eine[mnrs]?|les|une?|los|las|uma|always|never ever)\s*$", re.IGNORECASE
)
_VALUE = re.compile(
    r"[`\"“„«<>=%$€£#*/\\]|\b[A-Z]\b(?<!I)|(?<!\w)['‘]\w"
)  # code, quoted, a sign, the letter of a choice


def agrees(message: str) -> bool:
    """Whether it only says yes, thanks, or that the AI should go on."""
    words = _words(message)
    if len(message) > _READ or not words or words & (DENIALS | _AUXILIARIES) or "t" in words:
        return False
    left = set(_content(_GOING_ON.sub("yes", message)))
    agreeing = _known(_AGREEING)
    return not left.isdisjoint(agreeing) and left <= agreeing | _known(_SMALL) and not _chooses(message)


def contributes(message: str, exchange: str = "") -> bool:
    """Whether it makes a difference to somebody who did not see what it reacts to. `exchange` is what was said before:
    a report that something fails adds nothing by naming what was spoken of."""
    if breaks_off(message):
        return False
    if len(message) > _READ or _chooses(message):
        return True
    said = _ONLY_WRONG.sub("wrong", _ONCE_MORE.sub("again", _GOING_ON.sub("yes", message)))
    left = set(_content(said)) - _known(*_REACTIONS)
    if left and _reports_failure(message):
        left -= set(terms(exchange))
    return bool(left)


def breaks_off(message: str) -> bool:
    """Whether it was sent before it was finished: `never use the`."""
    return _BROKEN_OFF.search(message[-_READ:]) is not None


def is_about_failure(text: str) -> bool:
    """Whether it names an error, or something that fails."""
    return not _known(_FAILING).isdisjoint(terms(text))


def _reports_failure(message: str) -> bool:
    """`Still fails`, or `does not work`. What should not be done is no report, whatever it speaks of."""
    found, words = set(terms(message)), _words(message)
    denied = bool(words & DENIALS) or "t" in words
    persists = bool(found & _known(_PERSISTING))
    return (persists and bool(found & _known(_FAILING))) or (denied and bool(found & _known(_WORKING)))


def _content(message: str) -> list[str]:
    """Its terms without words of grammar, of which `terms` returns some if there are no others."""
    return [term for term in terms(message) if term not in _known(" ".join(FUNCTION_WORDS | DENIALS))]


def _chooses(message: str) -> bool:
    """Whether it gives a value, or points at one of several: `the right`, `el otro`, `both`."""
    if _VALUE.search(message) or _ADDRESSED.search(message) or any(map(str.isdecimal, message)):
        return True
    if _words(message) & _CHOOSING:
        return True
    chosen = _CHOSEN.search(message)
    return chosen is not None and not _known(_AGREEING, _AGAIN, _PERSISTING).isdisjoint(terms(chosen["one"]))


def _words(message: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(message))


@cache
def _known(*words: str) -> frozenset[str]:
    """One by one, because words of grammar are terms only where there are no others."""
    return frozenset(term for word in " ".join(words).split() for term in terms(word))
