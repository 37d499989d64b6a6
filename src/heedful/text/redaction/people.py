"""Names of people in unambiguous contexts: signatures, introductions, greetings, authors.

A name found there, and its parts, are then redacted everywhere in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.first_names import FIRST_NAMES
from heedful.text.redaction.spans import SensitiveSpan, offsets

_NAMES = 40  # different ones taken everywhere in a text
_WORD = r"[^\W\d_][^\W\d_'’]*(?:['’-][^\W\d_]+)?"
_PARTICLE = r"(?:d[aeiu]|de la|v[ao]n|van der|van den|von der|bin|ibn|al|el|le|la|dos|das) "
_NAME = rf"{_WORD}(?: (?:(?:[^\W\d_]\.? )?|{_PARTICLE}){_WORD}){{0,3}}"
_NAME_AT = re.compile(_NAME)
_TITLE_LIST = """
    Mr Mrs Ms Miss Dr Prof Herr Frau Mme Mlle Señor Señora Sir Lady
"""
_TITLES = frozenset(_TITLE_LIST.split())
_GREETINGS = frozenset(["Hi", "Hello", "Hey", "Dear", "Hallo", "Liebe", "Lieber", "Bonjour", "Hola"])
# What comes before a name, and how many words it must have to be sure of it. Each begins with what is looked for.
_INTRODUCTIONS = (
    ("name", 1, re.compile(r"name(?:'s| is| ist)[ :]{1,2}")),
    ("name", 1, re.compile(r"name\\?[\"']?[:=] ?\\?[\"']?")),
    ("-by: ", 1, re.compile(r"-by: ")),
    ("author", 2, re.compile(r"author\\?[\"']?[:=] {0,4}\\?[\"']?")),
    ("committer: ", 2, re.compile(r"committer: {1,4}")),
    ("named h", 1, re.compile(r"named h(?:im|er) ")),
    ("call me ", 1, re.compile(r"call me ")),
    ("i'm ", 2, re.compile(r"i'm ")),
    ("i am ", 2, re.compile(r"i am ")),
    ("assigned to ", 2, re.compile(r"assigned to ")),
    ("heiße ", 1, re.compile(r"heiße ")),
    ("m'appelle ", 1, re.compile(r"m'appelle ")),
    ("me llamo ", 1, re.compile(r"me llamo ")),
    ("mi chiamo ", 1, re.compile(r"mi chiamo ")),
)
_NAME_FIELD = re.compile(r"(?:full|first|last|sur|given|family|user\.|display)[ _-]?\Z|(?:my|his|her|mein) \Z")
_TRAILER = re.compile(r"(?:signed-off|co-authored|reviewed|acked|tested|reported)\Z")
_FAREWELL = re.compile(
    r"(?i)(?:regards|wishes|cheers|sincerely|yours truly|grüßen?|cordialement)"
    r"[,.!]?[ \t]{0,4}\r?\n[\s>]{0,8}(?=[^\W\d_])"
)
_FAREWELLS = ("regards", "wishes", "cheers", "sincerely", "yours truly", "grüße", "cordialement")
_BEFORE_MAIL = re.compile(rf"(?<![\w@.])({_NAME}) {{0,2}}\Z")
_CAPITALISED = re.compile(r"[A-ZÀ-Þ](?<![\w@.#/-][A-ZÀ-Þ])[a-zß-ÿ]{1,20}(?=[ .,])")

_JOINING = frozenset("_@./-")
_CODE = frozenset("[(|=_{")  # after a name these make it a type or a call
_LINE_ENDS = frozenset({"", "\n", "\r", ","})
_GREETED = frozenset({"", "\n", ",", "!", ":", "."})

# Programs, and what stands where a name would.
_NOBODY_LIST = """
    optional string str any list text union literal callable true false int integer boolean bool char varchar type field
    model column required dict set tuple omit undefined
    claude codex cursor gemini copilot chatgpt gpt openai anthropic google github gitlab dependabot renovate bot
    assistant ai agent system team all everyone there world folks guys friend friends sir madam user users customer
    admin support hiring manager unknown anonymous none null your you my the a an this that it not now also just
    still sure sorry here happy glad afraid going trying using working getting seeing having looking able new ready
    done fine ok okay good author name test example code project readme license todo note yes no please thanks thank
    and or but if in on at to for with from of by is are was were be am i we he she they what when where why how who
    which root node python java rust react linux windows docker claude-code noreply developer engineer reviewer
    maintainer contributors contributor everybody everything anything something nothing again lets let's gorgeous
    beautiful buddy bro dude mate
"""
_NOBODY = frozenset(_NOBODY_LIST.split())
# Parts of names that are words too: alone they are taken for the word.
_WORD_LIST = """
    will mark grace hope may bill rose art max page rich guy jay ray dean chase drew frank young king long case
    price rust black white brown green grey gray west east north south day june april august summer dawn joy faith
    ward cook baker miller smith's field fields stone wood woods hill rivers lake banks bush cross church hall house
    park street gold silver law best good love little short small rice bell ball bond cash close cole cruz dale fox
    hunt link marks moon noble parks peak post power read reed root rush sharp son star steel storm strong sun swift
    test van von der den del dos das bin ibn jun sen core base main data node java code
"""
_WORDS = frozenset(_WORD_LIST.split())


def people(text: str, lowered: str, mails: list[SensitiveSpan]) -> Iterator[SensitiveSpan]:
    sure = dict.fromkeys(_certain(text, lowered, mails))
    for start, end in sure:
        yield _span(text, start, end)
    names = list(dict.fromkeys(text[start:end] for start, end in sure))[:_NAMES]
    for part in dict.fromkeys(part for name in names for part in _parts(name)):
        for at in offsets(part, text):
            if _stands_alone(text, at, at + len(part)):
                yield _span(text, at, at + len(part))


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    if before.isalnum() or before in _JOINING or after[:1].isalnum() or after[:1] in {"_", "@", "/"}:
        return False
    return not (after[:1] == "-" and after[1:].isalnum())


def _span(text: str, start: int, end: int) -> SensitiveSpan:
    return SensitiveSpan(start, end, "NAME", " ".join(text[start:end].lower().split()))


def _parts(name: str) -> Iterator[str]:
    yield name
    for part in name.split(" "):
        if len(part) >= 4 and part[0].isupper() and part.lower() not in _WORDS:
            yield part


def _certain(text: str, lowered: str, mails: list[SensitiveSpan]) -> Iterator[tuple[int, int]]:
    for mark, words, shape in _INTRODUCTIONS:
        for at in offsets(mark, lowered):
            if (found := shape.match(lowered, at)) and _introduces(lowered, at, mark):
                yield from (
                    span for span in _name_at(text, found.end(), words) if text[span[1] : span[1] + 1] not in _CODE
                )
    for mark in _FAREWELLS:
        for at in offsets(mark, lowered):
            if found := _FAREWELL.match(text, at):
                yield from (
                    span for span in _name_at(text, found.end(), 1) if text[span[1] : span[1] + 1] in _LINE_ENDS
                )
    for address in mails:
        if address.start and text[address.start - 1] == "<":
            yield from _before_mail(text, address.start - 1)
    yield from _capitals(text)


def _introduces(lowered: str, at: int, mark: str) -> bool:
    before = lowered[max(0, at - 14) : at]
    if mark == "name":
        return _NAME_FIELD.search(before) is not None
    if mark == "-by: ":
        return _TRAILER.search(before) is not None
    return not before[-1:].isalnum()


def _capitals(text: str) -> Iterator[tuple[int, int]]:
    """Titles, greetings at the start of a line, and common first names followed by another word."""
    for found in _CAPITALISED.finditer(text):
        word = found.group()
        if word in FIRST_NAMES:
            yield from _name_at(text, found.start(), 2)
        elif word in _TITLES:
            at = found.end() + (2 if text.startswith(". ", found.end()) else 1)
            yield from _name_at(text, at, 1)
        elif word in _GREETINGS and not text[max(0, found.start() - 8) : found.start()].rpartition("\n")[2].strip(
            " \t>"
        ):
            at = found.end() + (2 if text.startswith(", ", found.end()) else 1)
            yield from (span for span in _name_at(text, at, 1) if text[span[1] : span[1] + 1] in _GREETED)


def _name_at(text: str, at: int, words: int) -> Iterator[tuple[int, int]]:
    found = _NAME_AT.match(text, at, at + 80)
    if found is None:
        return
    name = _capitalised(found.group())
    if len(name.split()) >= words and _is_somebody(name):
        yield at, at + len(name)


def _capitalised(name: str) -> str:
    """The leading words that are written like a name: `Anna from the office` is Anna."""
    kept: list[str] = []
    for word in name.split(" "):
        particle = word.islower() and len(word) <= 3 and bool(kept)
        if word.lower() in _NOBODY or not (word[0].isupper() or particle):
            break
        kept.append(word)
    while kept and kept[-1].islower():
        kept.pop()
    return " ".join(kept)


def _is_somebody(name: str) -> bool:
    words = [word.strip(".").lower() for word in name.split()]
    return (
        bool(words)
        and len(words[0]) > 1
        and not any(word in _NOBODY for word in words)
        and not (name.isupper() and len(words) == 1)
    )


def _before_mail(text: str, at: int) -> Iterator[tuple[int, int]]:
    line = max(text.rfind("\n", max(0, at - 60), at) + 1, at - 60)
    found = _BEFORE_MAIL.search(text, max(0, line), at)
    if found and _is_somebody(found[1]):
        yield found.span(1)


# User names in paths: /home/NAME, /Users/NAME, C:\Users\NAME. The rest of the path stays readable.

_ACCOUNT = re.compile(r"[^\W_][\w.@+-]{0,40}(?: [A-Z][\w-]{1,20}(?=[/\\]))?")
_FOLDERS = ("home", "Users")
_SLASHES = re.compile(
    r"/|\\{1,4}|-"
)  # backslashes are doubled wherever a path is quoted; agents name folders with dashes
_NOBODYS_LIST = """
    user username users root admin administrator runner ubuntu debian vscode node app appuser codespace circleci
    travis ec2-user vagrant docker jovyan www-data public shared default guest me you name yourname your-name
    youruser your-username your_username someone dev developer test tester testuser git jenkins gitlab-runner
    runneradmin containeradmin containeruser pi pn linuxbrew build builder ci deploy service site wwwroot foo bar
    somebody myuser someuser somename home all desktop documents downloads library page pages index about dashboard
    settings login profile main menu screen view components assets images css js src
"""
_NOBODYS = frozenset(_NOBODYS_LIST.split())
_NO_PATH = frozenset("(*{$[")
_BEFORE_DASHES = frozenset({"", "/", "\\", '"', "'", "`", " ", "\n"})


def homes(text: str) -> Iterator[SensitiveSpan]:
    for folder in _FOLDERS:
        for at in offsets(folder, text):
            slash = _SLASHES.match(text, at + len(folder))
            if slash and at and text[at - 1] == slash[0][0] and (found := _account(text, at - 1, slash)):
                yield found


def _account(text: str, at: int, slash: re.Match[str]) -> SensitiveSpan | None:
    start, dashed = slash.end(), slash[0] == "-"
    if not _is_root(text[max(0, at - 8) : at], slash[0]):
        return None
    found = _ACCOUNT.match(text, start)
    if found is None:
        return None
    name = found.group().rstrip(".")
    if dashed:
        name = name.split("-")[0]
    following = text[start + len(name) : start + len(name) + 1]
    if name.lower() in _NOBODYS or following in _NO_PATH or (dashed and following != "-"):
        return None
    if "." in name and following not in {"/", "\\"}:
        return None  # a file, or an address of a page
    return SensitiveSpan(start, start + len(name), "NAME", name.lower())


def _is_root(before: str, slash: str) -> bool:
    """`example.com/home/…` is a URL and `my-home-page` a name, but disks may be mounted anywhere."""
    if slash == "-":
        return before[-1:] in _BEFORE_DASHES
    if slash == "/" and (before[-1:].isalnum() or before[-1:] in {".", "}", ")"}):
        return before.lower().endswith(("/c", "/d", "/data", "/host"))
    return True
