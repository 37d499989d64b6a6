"""Whether a command, code or a file for people uses something, or only mentions it.

Comments, docstrings and sentences in strings are prose. A command is used where a shell would start it; of prose, what
stands in a fenced block, and what a sentence tells somebody to run. A plain word is used in code where it is called, is
a type or a keyword, or is imported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from heedful.text.bans import Ban
from heedful.text.commands import PROGRAMS
from heedful.text.words import FUNCTION_WORDS, words_of

_KEPT = 512
_READ = 20_000  # characters
_MOST = 400  # commands of a text

_PIECE = re.compile(
    r"""(?P<string>(?<!\\)(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`[^`\n]*+`))"""
    r"|(?P<comment>(?<![:\w])//[^\n]*+|(?<!\S)\#(?!include|define|if|end|\[|!|\w{1,40}\s?\{)[^\n]*+"
    r"|^[^\S\n]*+(?:--\s|\*(?:\s|$)|<!--)[^\n]*+)",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w@./:-]+")
_BLOCKS = (('"""', '"""'), ("'''", "'''"), ("/*", "*/"), ("<!--", "-->"))
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_INLINE = re.compile(r"`([^`\n]{1,200})`")
_TELLS = words_of("""
    run use execute type call install with via using running enter start try
    führe nutze benutze verwende mit starte lance exécute utilise tape avec ejecuta usa utiliza con escribe execute
    rode use com
""")
_DENIES = words_of("""
    not never don't no without avoid instead stop nicht nie niemals kein ne pas jamais nunca jamás não sin sem evita
    evite statt of than
""")
_WORDY = frozenset(word for word in FUNCTION_WORDS if len(word) > 1) - words_of(
    "from as in for if is with while do this and or not use return es al per"
)
_SENTENCE = 5  # words; shorter lines are hardly sentences
_WORD = re.compile(r"[^\W\d_]{1,30}(?:['’][^\W\d_]{1,10})?[.,:;!?]?")

_SHELL = re.compile(
    r"""(?P<quoted>(?<!\\)"(?:[^"\\]|\\.)*+"|'[^']*+')|(?P<end>&&|\|\|?|;|\n|\$\(|`|[(){}])|(?P<word>[^\s;&|"'`(){}$]+|[$&])"""
)
_ASSIGNED = re.compile(r"\w+=")
_PREFIXES = words_of("sudo time exec nohup xargs then do else env command run RUN - $ > CMD ENTRYPOINT")
_READING = words_of("""
    grep egrep rg ag ack find fd ls cat bat head tail less more wc diff stat tree file du echo printf which type man
    whereis jq cut sort uniq
""")
_READING_GIT = words_of("log show diff grep blame status")
_UNINSTALLING = words_of("uninstall remove rm un")
_INSTALLING = words_of("install i add get require pull ci")
_RUNS_TEXT = re.compile(r"-\w*c|-e|--command|--exec")
_KEYED = re.compile(r"""^\s*+(?:-\s+)?["']?[\w:.-]{1,40}["']?\s*:\s+|^\s*+(?:RUN|CMD|ENTRYPOINT)\s+""")
_SCRIPT = re.compile(
    r"\.(?:sh|bash|zsh|fish|ps1|bat|cmd|ya?ml|toml|mk)$|(?:^|[/\\])(?:package\.json|[\w.-]*(?:makefile|dockerfile|justfile)[\w.-]*)$",
    re.IGNORECASE,
)
"""Files with commands in their lines."""
_STARTS = re.compile(
    r"(?i:\b\w{0,20}(?:run|exec|execute|spawn|system|shell|popen|check_call|check_output|cmd|command)(?:Sync)?\b)"
)
_HERE = re.compile(r"<<-?\s*[\"']?(\w+)")
_DEFINES = r"(?<!\bdef )(?<!\bfn )(?<!\bfunc )(?<!\bfunction )(?<!\bclass )(?<!\bsub )"
_NO_SENTENCE = rf"(?!(?:{'|'.join(sorted(_WORDY))})\b)"
_IMPORTS = r"\b(?:import|from|include|require|use|using|require\(|import\()\s*[\"'<(]*"
_FREE = r"(?<![\w./\\@$-])"


class ShellCommand(NamedTuple):
    words: tuple[str, ...]
    reads: bool
    """It only looks at things, or removes them."""


class Written(NamedTuple):
    """What is about to be run or written."""

    code: tuple[str, ...]
    """Its lines without comments, and without sentences; of a command, those that do more than look at things."""
    raw: tuple[str, ...]
    commands: tuple[ShellCommand, ...]
    files: tuple[str, ...]
    is_prose: bool

    def uses(self, ban: Ban) -> bool:
        if ban.touching:
            return self._touches(ban.name)
        if self.is_prose and ban.is_everyday:
            return False
        return self._starts(ban) or self._contains(ban)

    def _starts(self, ban: Ban) -> bool:
        """As a command, or by installing it."""
        names = [ban.name.casefold()] if ban.is_plain else ban.name.split()
        return any(_runs(command, names) or _installs(command, ban) for command in self.commands)

    def _contains(self, ban: Ban) -> bool:
        """In its code: a command in a shell only mentions what it does not start."""
        if not (self.files or self.is_prose) or ban.is_command:
            return False
        if ban.is_plain:
            return _any(_used(ban.name, _is_called(ban)), self.code)
        if ban.is_path or not ban.is_word:
            return not self.is_prose and _any(_named(ban.name), self.code if ban.is_path else self.raw)
        return _any(_named(ban.name), self.code)

    def _touches(self, name: str) -> bool:
        path = "/" + name.strip("./").removesuffix("/**")
        whole = not ("/" in name or "." in name)
        if any(f"{path}/" in f"/{file}/".replace("\\", "/") for file in self.files):
            return True
        return not (self.files or whole) and any(
            f"{path}/" in f"/{word}/" for command in self.commands if not command.reads for word in command.words[1:]
        )


class ToolInput(NamedTuple):
    """What a tool is about to get: a command, or the text of files."""

    text: str
    files: tuple[str, ...]
    is_prose: bool
    """It is for people."""

    @property
    def plain(self) -> str:
        return "\n".join((self.text, *self.files)).casefold()

    @property
    def written(self) -> Written:
        return _read(self)


@lru_cache(2)  # it is read once for all that may be in it
def _read(given: ToolInput) -> Written:
    text, named = given.text[:_READ], given.files
    if given.is_prose:
        fenced, told = _of_prose(text)
        shown = (*(line.code for line in _code_lines(fenced)), *told)
        return Written(shown, (), _shell("\n".join(shown)), named, is_prose=True)
    if not named:
        return Written(
            (*without_looking(text),), (*text.splitlines(),), _shell(_without_documents(text)), (), is_prose=False
        )
    lines, is_script = _code_lines(text), any(map(_SCRIPT.search, named))
    run = [command for line in lines for command in _commands_of(line, is_script=is_script)]
    code = (
        part for line in lines for part in (line.code, *(line.strings if _starts(line, is_script=is_script) else ()))
    )
    return Written(tuple(code), tuple(text.splitlines()), tuple(run[:_MOST]), named, is_prose=False)


def without_looking(text: str) -> list[str]:
    """The lines of a command that do more than look at things."""
    return [line for line in text.splitlines() if not (found := _shell(line)) or not all(one.reads for one in found)]


# Prose


def _of_prose(text: str) -> tuple[str, tuple[str, ...]]:
    """Its fenced blocks, and the inline code that a sentence tells somebody to use."""
    fenced: list[str] = []
    told: list[str] = []
    inside = False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif inside:
            fenced.append(line)
        else:
            told += _told(line)
    return "\n".join(fenced), tuple(told)


def _told(line: str) -> Iterator[str]:
    for code in _INLINE.finditer(line):
        before = line[: code.start()][-80:].casefold().replace("’", "'").split()[-4:]
        if before and before[-1].strip(":(*_") in _TELLS and _DENIES.isdisjoint(before):
            yield code[1]


# Code


class _Line(NamedTuple):
    code: str
    strings: tuple[str, ...]
    """Those that are no single name."""


def _code_lines(text: str) -> list[_Line]:
    for begin, end in _BLOCKS:
        text = _without_blocks(text, begin, end)
    return [
        found for line in text.splitlines() if (found := _code_line(line)).code.strip() and not _is_sentence(found.code)
    ]


def _without_blocks(text: str, begin: str, end: str) -> str:
    kept, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start + len(begin))) >= 0:
        kept += [text[at:start], "\n"]
        at = stop + len(end)
    return "".join((*kept, text[at:]))


def _code_line(line: str) -> _Line:
    strings: list[str] = []

    def plain(piece: re.Match[str]) -> str:
        string = piece["string"]
        if string is None:
            return ""
        if _NAME.fullmatch(string[1:-1]):
            return string
        strings.append(string[1:-1])
        return '""'

    return _Line(_PIECE.sub(plain, line), tuple(strings))


def _is_sentence(line: str) -> bool:
    words = line.split()
    if len(words) < _SENTENCE:
        return False
    plain = [word for word in words if _WORD.fullmatch(word)]
    return 4 * len(plain) >= 3 * len(words) and any(word.casefold().strip(".,:;!?") in _WORDY for word in plain)


def _any(pattern: re.Pattern[str], lines: Collection[str]) -> bool:
    return any(_is_affirmed(line, found) for line in lines if (found := pattern.search(line)))


def _is_affirmed(line: str, found: re.Match[str]) -> bool:
    """`use unknown, not any` knows it."""
    before = line[: found.start()].casefold().split()[-1:]
    return line[found.end() - 1 : found.end() + 1].endswith("(") or _DENIES.isdisjoint(before)


@lru_cache(_KEPT)
def _named(name: str) -> re.Pattern[str]:
    before = r"(?<![\w@/-])" if name[:1].isalnum() else r"(?<!\w)"
    after = r"(?![\w-])" if name[-1:].isalnum() else ""
    return re.compile(f"{before}{re.escape(name.rstrip('/'))}{after}")


def _is_called(ban: Ban) -> bool:
    """A type is not, and where `any` or `make` is, it is the function of that name."""
    return not ban.is_type and ban.name.casefold() not in FUNCTION_WORDS | PROGRAMS


@lru_cache(_KEPT)
def _used(name: str, is_called: bool) -> re.Pattern[str]:
    word = f"(?:{re.escape(name)}|{re.escape(name.casefold())})"
    ways = [
        rf"(?:[:<|]|->|=>|\bas|<[\w\s,]{{0,60}},)\s*{word}\s*(?=[\]\[>|,;)={{&]|$)",  # a type
        rf"(?:^|[;{{(=:])\s*{word}\s+{_NO_SENTENCE}(?=[\"'$\w])(?=[^=;(){{:]*[=;(){{:])",  # a keyword
        rf"{_IMPORTS}{word}(?![\w-])(?=[\"'/>.:;,\s)]|$)(?!\s+(?:the|a|an|of|to)\b)",
    ]
    if is_called:
        ways.append(rf"{_FREE}{_DEFINES}{word}(?:!?\((?!--)|\.\w+\s*\()")  # `var(--colour)` is a style
    return re.compile("|".join(ways))


# Shells


def _without_documents(text: str) -> str:
    """Without what a command gets from the lines below it."""
    kept: list[str] = []
    ends = ""
    for line in text.splitlines():
        if ends:
            ends = "" if line.strip() == ends else ends
            continue
        kept.append(line)
        here = _HERE.search(line)
        ends = here[1] if here else ""
    return "\n".join(kept)


def _commands_of(line: _Line, *, is_script: bool) -> Iterator[ShellCommand]:
    """The commands in a line of a script or a recipe, and in a string that a program starts."""
    if is_script:
        yield from _shell(_KEYED.sub("", line.code))
    if _starts(line, is_script=is_script):
        for string in line.strings:
            yield from islice(_shell(string), 1)


def _starts(line: _Line, *, is_script: bool) -> bool:
    return is_script or _STARTS.search(line.code) is not None


@lru_cache(8)
def _shell(text: str) -> tuple[ShellCommand, ...]:
    return tuple(islice(_commands(text), _MOST))


def _commands(text: str) -> Iterator[ShellCommand]:
    words: list[str] = []
    for token in _SHELL.finditer(text):
        if token["end"]:
            yield from _command(words)
            words = []
        else:
            quoted = token["quoted"]
            if quoted and words and _RUNS_TEXT.fullmatch(words[-1]):
                yield from _shell(quoted[1:-1])
            words.append(token[0] if quoted is None or " " in quoted else quoted[1:-1])
    yield from _command(words)


def _command(words: Sequence[str]) -> Iterator[ShellCommand]:
    """Also what another program is asked to start: `sudo npm`, `FOO=1 npm`."""
    words = list(words)
    while words and (words[0] in _PREFIXES or _ASSIGNED.match(words[0])):
        if words[0] == "sudo":
            yield ShellCommand(("sudo",), reads=False)
        words.pop(0)
    if words:
        yield ShellCommand(tuple(words), reads=_reads(words))


def _reads(words: Sequence[str]) -> bool:
    if ">" in words or ">>" in words:
        return False
    second = words[1] if len(words) > 1 else ""
    is_reading = words[0] in _READING or (words[0] == "git" and second in _READING_GIT)
    return is_reading or second in _UNINSTALLING


def _runs(command: ShellCommand, names: Sequence[str]) -> bool:
    """Its words in their order; others may stand between."""
    if names and names[0].startswith("-"):
        return not command.reads and names[0] in command.words
    first, rest = command.words[:1], iter(command.words[1:])
    program = first[0].rsplit("/", 1)[-1] if first and "/" not in names[0] else "".join(first).removeprefix("./")
    return program == names[0].removeprefix("./") and all(name in rest for name in names[1:])


def _installs(command: ShellCommand, ban: Ban) -> bool:
    if command.reads or _INSTALLING.isdisjoint(command.words[1:4]):
        return False
    name = ban.name.casefold()
    return any(re.split(r"[=<>~\[]|(?<=\w)@", word)[0].casefold() == name for word in command.words[1:])
