"""What a statement forbids by name: `never use print`, `don't touch vendor/`, `npm darf nicht benutzt werden`.

What is forbidden is the object of a verb of using, or of the ban itself, and the whole of it: `never use any library`
names nothing. What holds under a condition, with an exception or for a purpose is left out, since nobody can tell from
a command whether it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from heedful.text.commands import PROGRAMS
from heedful.text.rarity import rarity
from heedful.text.sentences import sentences
from heedful.text.terms import terms
from heedful.text.words import DETERMINERS, FUNCTION_WORDS, PRONOUNS, words_of

_READ = 600  # characters of a statement
_LONGEST = 80  # characters of a name
_KEPT = 2_048  # statements
_EVERYDAY = 0.7  # of the rarity of a word: `npm` is rarer

_NOUN_BANS = words_of("""
    never no avoid nie niemals kein keine keinen keinem vermeide vermeiden vermeidet
    jamais aucun aucune évite évitez éviter nunca jamás evita evitar evite nada
""")
"""What they forbid may follow at once. The others need a verb, or what is to be used instead."""
_BANS = _NOUN_BANS | words_of("don't dont stop quit mustn't shouldn't plus not nicht pas não")
_NOTHING_OF = (["pas", "de"], ["pas", "d"])
_AVOIDING = words_of("avoid vermeide vermeiden vermeidet évite évitez éviter evita evitar evite nada")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|anstatt|anstelle von|statt|au lieu d[e']|plutôt qu[e']|en (?:vez|lugar) de"
    r"|em vez de)\s*",
    re.IGNORECASE,
)
_FORBIDDEN = words_of("""
    forbidden banned prohibited disallowed off-limits taboo verboten tabu untersagt interdit interdite prohibido
    prohibida proibido proibida
""")
_ALLOWED = words_of("allowed permitted erlaubt gestattet autorisé autorisée permis permitido permitida")
_USING = words_of("""
    use uses using used run running execute executing executed call calling called import importing imported
    install installing installed add adding rely relying depend depending require requiring invoke invoking include
    including benutze benutzt benutzen benutz nutze nutzt nutzen nutz verwende verwendet verwenden genutzt
    importiere importieren importiert installiere installieren installiert aufrufen aufgerufen ausführen ausgeführt
    rufe einsetzen utilise utilises utilisez utiliser utilisons utilisé emploie importe importer installe installer
    lance lancer appelle appeler exécute exécuter usa use uses usar usamos usado utiliza utilices utilizar usarse
    utilizarse importa importar importes instala instalar instales ejecuta ejecutes ejecutar llames llamar usem
    instale rode rodar execute executar chame chamar
""")
_TOUCHING = words_of("""
    touch touching touched edit editing edited modify modifying modified change changing changed overwrite
    overwriting delete deleting remove removing anfassen angefasst fass fasst bearbeite bearbeiten bearbeitet ändere
    ändern geändert lösche löschen touche touches touchez toucher modifie modifier modifié édite éditer toques toque
    tocar toca edites editar modifiques modificar cambies cambiar mexa mexer mexe edite modifique altere alterar
""")
_CHOOSING = words_of(
    "use uses using benutze nutze nutzen verwende verwenden utilise utilisez utilisons usa usamos usar"
)
"""`Use uv, not pip`"""
_VERBS = _USING | _TOUCHING
_CODE_WORDS = words_of("print eval exec assert goto var")
"""Everyday words, or forms of them, of which one who bans them means the one in the code."""
_LAST = words_of("nicht nie niemals")
"""Which stand behind what they forbid, and the verb before it."""
_PASSED = words_of("""
    ever again just even directly simply more mehr hier here auch bitte please be to werden sein être ser de d of
    on upon from à au aux auf von en em in no na
""")
"""Words between a ban, its verb and what is forbidden."""
_VAGUE = words_of("a an any some this that these those my your ein eine einen einem un une una um uma este esta")
_NAMELESS = PRONOUNS | words_of("""
    this that these those anything everything nothing something anyone alles nichts etwas rien tout nada todo tudo
""")
_OPENING = PRONOUNS | words_of("""
    we you i one people please also and but so just really simply ever must should shall do may can could ok okay
    hey well then now remember always to from on künftig ab jetzt sofort désormais partir ahora agora wir man ihr
    du bitte also und aber darf dürfen soll sollen sollst on il faut ne n nous merci aussi mais et no se debe debes
    hay que por favor y pero favor deve devemos a gente e mas eu não
""")
_BEFORE_DENIAL = words_of("do must should shall may can to ne n")
_HELPING = words_of("""
    must should shall may can is are be to do does ist sind darf dürfen soll sollen sollte wird werden hier bitte
    doit doivent est sont ne n debe deben es son está están deve devem é são se strictly ever here
""")
_KINDS = words_of("""
    folder directory file ordner datei dossier fichier carpeta archivo pasta arquivo
    statement statements function functions call calls keyword keywords package packages library libraries module
    modules command commands operator tool tools method hook flag option type types befehl paket bibliothek modul
    funktion commande paquet bibliothèque comando paquete librería biblioteca pacote
""")
_TYPES = frozenset({"type", "types", "typed", "typ", "tipo"})
_FOLLOWING = words_of("""
    here anywhere again anymore any ever please at directly because since so as but instead over either yourself
    mehr hier bitte weil da ici car plus parce aquí más aqui mais porque pero sondern sino pois and und et y e it's
""")
_OR = words_of("or nor oder noch ou ni o nem")
_PLACING = words_of("in within im for für en em dans no na across throughout at")
_PLACES = words_of("""
    here repo repository project codebase code app production prod anywhere all everywhere typescript javascript
    python projekt code projet dépôt proyecto código projeto
""")
_WITHIN = words_of("under in inside below unter dans sous en bajo sob em")
_CONDITIONS = words_of("""
    if when whenever while unless until during in for on at within with wenn falls bei während für im solange si
    quand lorsque dans pour cuando para en mientras se quando em enquanto
""")
_EXCEPTION = re.compile(
    r"\b(?:unless|except(?:ing)?|only (?:in|for|if|when|on)|other than|außer|es sei denn|nur (?:in|für|wenn)|sauf|"
    r"hormis|salvo|excepto|a menos que|exceto|(?:is|are|it's) (?:fine|ok|okay|allowed))\b",
    re.IGNORECASE,
)
_ELISION = re.compile(r"\b([nld]|qu)['’](?=\w|`)", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<code>`[^`\n]{1,80}`)|(?P<end>[,;:—–()]|(?<!\S)-(?!\S))"
    r"|(?P<word>(?:[^\s,;:!?()\"“”„«»`—–.]|[.:](?=[^\s.:])|:(?=:)|\.(?=\.))+(?:\(\))?)"
)
_SHAPED = re.compile(r"[/._:@\\()#$]|\w-\w|^-|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_PLURAL = re.compile(r".{2,}[^suaio]s")
_LETTERS = re.compile(r"\w+")
_COMMAND = re.compile(r"[a-z][\w.-]*\s+\S")


class Ban(NamedTuple):
    """One name that is forbidden."""

    name: str
    touching: bool
    """It is not to be changed; otherwise it is not to be used."""
    is_type: bool
    """Forbidden as a type, which nobody calls: Python has a function `any`."""

    @property
    def is_path(self) -> bool:
        return "/" in self.name and not self.is_command and not self.name.startswith("@")

    @property
    def is_command(self) -> bool:
        """Several words, or an option of a command."""
        return _COMMAND.match(self.name) is not None or self.name.startswith("-")

    @property
    def is_word(self) -> bool:
        """It begins as a name, and is not `# type: ignore`."""
        return " " not in self.name and self.name[:1].isalnum()

    @property
    def is_plain(self) -> bool:
        """A word as any text may have it."""
        return self.name.isalpha() and self.name[1:].islower()

    @property
    def is_everyday(self) -> bool:
        return self.is_plain and is_everyday(self.name)

    def is_in(self, text: str) -> bool:
        """Whether a text without capitals has its words, in whatever form."""
        return all(word in text for word in _letters(self.name))


@lru_cache(_KEPT)
def _letters(name: str) -> tuple[str, ...]:
    return tuple(_LETTERS.findall(name.casefold()))


def is_everyday(word: str) -> bool:
    """A word that many texts have."""
    return word.casefold() in FUNCTION_WORDS or all(rarity(term) <= _EVERYDAY for term in terms(word))


@lru_cache(_KEPT)
def bans(statement: str, about: str = "") -> tuple[Ban, ...]:
    """The names that a statement, about what was done before, forbids wherever one works and whatever for."""
    text = statement[:_READ]
    if _EXCEPTION.search(text):
        return ()
    found: dict[str, Ban] = {}
    is_type = any(word.strip(",.;:!") in _TYPES for word in f"{about} {text}".casefold().split())
    for sentence in sentences(text):
        if not sentence.endswith("?"):
            found |= {ban.name: ban for ban in _Reader(sentence, is_type).bans()}
    return tuple(found.values())


class _Word(NamedTuple):
    text: str
    code: bool

    @property
    def small(self) -> str:
        return "" if self.code else self.text.casefold()


class _Reader:
    """Reads a sentence clause by clause."""

    def __init__(self, sentence: str, is_type: bool) -> None:
        plain = _ELISION.sub(r"\1 ", sentence.replace("’", "'"))
        self._clauses = list(_clauses(_INSTEAD.sub(", instead_of ", plain)))
        self._is_type = is_type

    def bans(self) -> Iterator[Ban]:
        using = False
        for clause in self._clauses:
            if _is_condition(clause):
                return
            for at, word in enumerate(clause):
                if word.small == "instead_of":
                    yield from self._object(clause, at + 1, touching=False) if using else ()
                elif word.small in _BANS:
                    yield from self._forbidden(clause, at, using=using)
                elif word.small in _FORBIDDEN:
                    yield from self._subject(clause[:at], ())
            using = using or any(word.small in _CHOOSING for word in clause)

    def _forbidden(self, clause: Sequence[_Word], at: int, *, using: bool) -> Iterator[Ban]:
        before = [word.small for word in clause[:at]]
        start = _passed(clause, at + 1)
        verb = start < len(clause) and clause[start].small in _VERBS
        rest = [word.small for word in clause[start:]]
        if at and _is_passive(rest):
            acts = rest if clause[at].small not in _LAST else [*before, *rest]
            if any(word in _VERBS | _ALLOWED for word in acts):
                yield from self._subject(clause[:at], rest)
            return
        last = before[-1] if before else ""
        acting = [word for word in before if word not in _OPENING]
        led = acting[-1:] if _VERBS.issuperset(acting[-1:]) else []  # `nutze bitte nie`, `n'utilise jamais`
        if acting != led:
            return
        if clause[at].small in ("not", "pas", "plus") and before and last not in _BEFORE_DENIAL and not led:
            return
        if clause[at].small == "plus" and not {"n", "ne"} & {*before}:
            return
        governed = verb or bool(led) or clause[at].small in _AVOIDING or (using and not before)
        begins = clause[at].small in _NOUN_BANS or [word.small for word in clause[at : at + 2]] in _NOTHING_OF
        if not governed and (not begins or last in _BEFORE_DENIAL):
            return
        acted = clause[start].small if verb else "".join(led)
        first = _passed(clause, start + 1) if verb else start
        for ban in self._object(clause, first, touching=acted in _TOUCHING):
            is_named = clause[-1].small in _KINDS and ban.name.casefold() not in _KINDS
            if governed or is_named or not ban.is_everyday or ban.name.casefold() in _CODE_WORDS:
                yield ban

    def _object(self, clause: Sequence[_Word], at: int, *, touching: bool) -> Iterator[Ban]:
        named, end = _name(clause, at)
        if touching and not (named and _ends(clause, end, touching=touching)):
            named, end = _place(clause, at)
        if not named or not _ends(clause, end, touching=touching):
            return
        yield self._ban(named, touching)
        if end < len(clause) and clause[end].small in _OR:
            yield from self._object(clause, end + 1, touching=touching)

    def _subject(self, before: Sequence[_Word], rest: Sequence[str]) -> Iterator[Ban]:
        """`npm must not be used`, `npm nie benutzen`, `wir nutzen npm nicht`."""
        words = list(before)
        while words and words[-1].small in _HELPING:
            words.pop()
        touching = any(word in _TOUCHING for word in rest)
        while words and words[0].small in _OPENING | _VERBS | DETERMINERS:
            touching = touching or words[0].small in _TOUCHING
            words = words[1:]
        named, end = _name(words, 0)
        if named and end == len(words):
            yield self._ban(named, touching)

    def _ban(self, name: str, touching: bool) -> Ban:
        return Ban(name, touching, self._is_type)


def _clauses(sentence: str) -> Iterator[list[_Word]]:
    clause: list[_Word] = []
    for token in _TOKEN.finditer(sentence):
        if token["end"]:
            if clause:
                yield clause
            clause = []
        else:
            clause.append(_Word((token["code"] or token["word"]).strip("`"), token["code"] is not None))
    if clause:
        yield clause


def _is_condition(clause: Sequence[_Word]) -> bool:
    is_subject = [word.small for word in clause[:2]] in (["on", "n"], ["on", "ne"])
    return clause[0].small in _CONDITIONS and not (is_subject or _is_everywhere(clause))


def _passed(clause: Sequence[_Word], at: int) -> int:
    while at < len(clause) - 1 and clause[at].small in _PASSED:
        at += 1
    return at


def _is_passive(rest: Sequence[str]) -> bool:
    """Nothing follows but a verb: what is forbidden stands before."""
    return all(word in _VERBS | _ALLOWED | _PASSED | _PLACES | {"this", "an"} for word in rest) and len(rest) < 4


def _name(clause: Sequence[_Word], at: int) -> tuple[str, int]:
    """What stands there if it is a name, and where it ends."""
    vague = definite = False
    while at < len(clause) - 1 and clause[at].small in DETERMINERS and not _follows(clause[at + 1]):
        vague, definite, at = vague or clause[at].small in _VAGUE, True, at + 1
    if at < len(clause) - 1 and clause[at].small in _KINDS and not _follows(clause[at + 1]):
        definite, at = False, at + 1
    if at >= len(clause):
        return "", at
    word = clause[at]
    if word.code or (_SHAPED.search(word.text) and not word.text[0].isdigit()):
        return word.text.removesuffix("()")[:_LONGEST], _after_kind(clause, at + 1)
    command = _command(clause, at)
    if command > at + 1:
        return " ".join(one.text for one in clause[at:command]), command
    end = _after_kind(clause, at + 1)
    if vague or (definite and end == at + 1) or not _is_name(word.text):
        return "", at
    return word.text, end


def _command(clause: Sequence[_Word], at: int) -> int:
    """Where a command ends that begins there."""
    end = at
    if clause[at].small in PROGRAMS:
        end += 1
        while end < len(clause) and not _follows(clause[end]) and clause[end].small not in _VERBS | _KINDS | _OR:
            end += 1
    return end


def _is_name(word: str) -> bool:
    """Of plain words, plurals are things in general: `emojis`, `mocks`."""
    return (
        len(word) > 1
        and word.isalpha()
        and word.casefold() not in _NAMELESS | _BANS | _OPENING
        and not _PLURAL.fullmatch(word)
    )


def _after_kind(clause: Sequence[_Word], at: int) -> int:
    return at + 1 if at < len(clause) and clause[at].small in _KINDS else at


def _place(clause: Sequence[_Word], at: int) -> tuple[str, int]:
    """`generated files under gen/`"""
    for here in range(at + 1, min(at + 4, len(clause))):
        if clause[here - 1].small in _WITHIN and "/" in clause[here].text:
            return clause[here].text, here + 1
    return "", at


def _follows(word: _Word) -> bool:
    return word.small in _FOLLOWING | _PLACING | _OR | _CONDITIONS | {
        "by",
        "without",
        "from",
        "to",
        "outside",
        "before",
    }


def _ends(clause: Sequence[_Word], at: int, *, touching: bool) -> bool:
    """Whether nothing limits what is forbidden."""
    if at >= len(clause):
        return True
    word = clause[at].small
    if word in _FOLLOWING | _OR | _VERBS or (touching and word == "by"):
        return True
    return word in _PLACING and _is_everywhere(clause[at:])


def _is_everywhere(words: Sequence[_Word]) -> bool:
    """`in this repo`"""
    return all(word.small in _PLACING | _PLACES | DETERMINERS for word in words)
