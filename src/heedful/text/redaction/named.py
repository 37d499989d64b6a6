"""Secrets by the name before them: `api_key = "…"`, `PASSWORD=…`, `"token": "…"`, `--secret …`, `<pwd>…</pwd>`.

Code is full of `token: string` and `password = ask()`, so the value is judged, too: after the name of a password nearly
any literal counts, after other names only one that looks random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.text.redaction.keywords import FURTHER_NAMES, NAMES
from heedful.text.redaction.literals import Certainty, Literal, is_not_prose, is_secret
from heedful.text.redaction.names import type_of_name
from heedful.text.redaction.prose import HINTS, told
from heedful.text.redaction.spans import SensitiveSpan, offsets

_NAME_LENGTH = 60
_VALUE_LENGTH = 1_000
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

# From the hint on: the rest of the name, what closes it, and what joins it to the value.
_JOINT = re.compile(
    r"""(?P<rest>[\w-]{0,40}+)
    (?:
      (?P<closed>\\?["'`]|&quot;)?\]?\)?                             # "name", ["name"], 'name')
      (?:\[\d{0,4}\]|[ ]?\*{1,2}(?=[ :]))?                            # char name[] =, **name**:
      (?:[ \t]{0,8}[:,]?[ \t]{0,4}(?:str|string|String|&(?:'static[ ])?str|char\[\]|Optional\[str\]|string[ ]\|[ ]null)
        (?=[ \t]{0,4}=))?
      [ \t]{0,40}(?P<joint>
          =>|:=|\|\|=|\?\?=|\?=|<-|->|===?|!==?|=|:(?!:)
        | [ ]\{[ ]?get;[^}\n]{0,30}\}[ ]=                  # Name { get; set; } = "…"
        | [ ]\{\s{0,40}(?:[\w ]{1,20}=[^\n]{0,80}\n\s{0,40}){0,4}(?:default|value)[ ]{0,10}=  # "name" { default = "…" }
        | ,?\s{0,60}["']?[vV]alue["']?[ \t]{0,4}[:=]       # "name": "it", "value": "…"
        | (?:</[\w:]{1,20}>\s{0,60}<[\w:]{1,20}>)          # <key>it</key> <string>…</string>
        | ,|\(|>|\||[ \t](?:is|was|ist|lautet|est|es|är|jest|:=)[ \t]|[ \t]is:)
      (?P<gap>\*{0,2}[ \t]{0,40}(?:\\?\r?\n[ \t]{0,40}(?=["'`]))?)
    | (?P<blank>[ \t]{1,8}(?:[057][ ])?)
    )""",
    re.VERBOSE,
)
_ENV = re.compile(
    r"""(?:[\w.]{0,30}env[\w.]{0,20}(?:\(|\[)[ ]?\\?["'][^"'\n]{1,80}["'][ ]{0,2}
        (?:,|[)\]][ ]{0,2}(?:or|\|\||\?\?)) | \$\{\w{1,60}:[-=])[ ]{0,4}""",
    re.VERBOSE,
)  # fmt: skip
_QUOTED = re.compile(r"""[\(\[]{0,2}(?:[bfruBFRULN@$]{1,2}(?=["'`]))?(\"\"\"|\'\'\'|\\+"|\\+'|&quot;|["'`])""")
_SCHEME = re.compile(r"(?:[Bb]asic|[Bb]earer|[Tt]oken)[ ]{1,2}(?=\S{8})")  # of a header
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]{3,1000}""")
_BARE_PASSWORD = re.compile(r"""[^\s"'`;<>(){}\[\]|\\&]{3,200}""")
_ELEMENT = re.compile(r"\s{0,40}(?:<!\[CDATA\[)?([^<>\n]{3,1000}?)\s{0,40}(?:\]\]>)?</")
_OCTET = r"(?:0x[0-9a-fA-F]{1,2}|\d{1,3})"
_OCTETS = re.compile(
    rf"(?:\[\]byte|bytes|bytearray|new byte\[\])[\s({{\[]{{1,4}}({_OCTET}(?:\s{{0,8}},\s{{0,8}}{_OCTET}){{7,512}})"
)


_DECLARED = (
    *("#define ", "%define ", "setenv ", "SetEnv ", "ENV ", "ARG ", "setx "),
    *("set ", "set -x ", "set -gx ", "setq ", "def ", "_header "),
)
_SAID = frozenset({"is", "was", "ist", "lautet", "est", "es", "är", "jest", "is:"})
_COMPARED = frozenset({"==", "!=", "===", "!=="})
_ONLY_QUOTED = frozenset({",", "("}) | _COMPARED
_CALL = re.compile(r"[\w.$]{1,60}[(\[]")
_SEPARATED = re.compile(r"[ \t]*(?:[;\r\n]|$|#|//|--)")
_KEY_BEFORE = re.compile(r"[ \t]*(?:-[ ])?[\w.-]*")
_LONG = 16
_LINE = 200  # characters of a line that are looked at


def named(text: str, lowered: str) -> Iterator[SensitiveSpan]:
    seen: set[int] = set()
    for hint in NAMES if lowered.isascii() else NAMES + FURTHER_NAMES:
        if hint not in lowered:
            continue
        end = 0
        for at in offsets(hint, lowered):
            if at >= end and (joint := _JOINT.match(text, at)) and joint.end() not in seen:
                seen.add(joint.end())
                if found := _assigned(text, at, joint):
                    end = found.end
                    yield found
            if at >= end and hint in HINTS:
                yield from told(text, lowered, at)


def _assigned(text: str, at: int, joint: re.Match[str]) -> SensitiveSpan | None:
    before = text[max(0, at - _NAME_LENGTH) : at]
    start = at - (len(before) - len(before.rstrip(_NAME_SIGNS)))
    type = type_of_name(text[start : joint.end("rest")])
    if type is None or (place := _place(text, start, joint, type)) is None:
        return None
    value = _value(text, joint, type)
    if value is None or not _is_secret(text, start, joint, type, place, value):
        return None
    called = type if type in {"PASSWORD", "SECRET"} else "SECRET"
    return SensitiveSpan(value.start, value.start + len(value.text), called, value.text)


def _is_secret(text: str, start: int, joint: re.Match[str], type: str, place: Certainty, value: Literal) -> bool:
    if (type == "PHRASE" or "phrase" in joint["rest"].lower()) and _is_phrase(value):
        return True
    if (
        joint["blank"]
        and type == "SECRET"
        and place == Certainty.LOOSE
        and not value.quoted
        and len(value.text) < _LONG
    ):
        return False
    place = max(place, _place_of_line(text, start, joint, value))
    return type != "PHRASE" and is_secret(value, type, place)


def _place(text: str, start: int, joint: re.Match[str], type: str) -> Certainty | None:
    """How certainly name and value belong together, if they do."""
    sign = joint["joint"]
    if sign is None:
        return _place_after_blank(text, start, joint, type)
    if sign in _COMPARED or sign.strip() in _SAID:
        return Certainty.LOOSE if type != "KEY" else None
    if sign == "|":  # of a table
        return Certainty.LOOSE if text[max(0, start - 4) : start].strip(" *`") == "|" else None
    if sign == ">":  # of an element
        is_name = start > 0 and (text[start - 1] in "<:" or joint["closed"])
        return Certainty.BARE if is_name else None
    is_part = sign == ":" and text[start - 1 : start] == ":"  # of an identifier: `arn:aws:secretsmanager:…`
    return None if is_part else Certainty.BARE


def _place_after_blank(text: str, start: int, joint: re.Match[str], type: str) -> Certainty | None:
    """A space separates a flag, a directive or a declaration from its value, but also words of a sentence."""
    before = text[max(0, text.rfind("\n", max(0, start - _LINE), start) + 1, start - _LINE) : start]
    if before.endswith(("--", " -", " /")) or text.startswith("-", start):
        return Certainty.QUOTED  # a flag, of a command or in a sentence about it
    if before.endswith(_DECLARED):
        return Certainty.SETTING
    is_verb = text[start : joint.end("rest")].lower() == "pass"
    is_quoted = text[joint.end() : joint.end() + 1] in {"'", '"', "`"}
    return Certainty.LOOSE if not is_verb and (type in {"PASSWORD", "SECRET"} or is_quoted) else None


def _place_of_line(text: str, start: int, joint: re.Match[str], value: Literal) -> Certainty:
    """`NAME=value` is common in settings files, connection strings and commands, `name: value1` in YAML."""
    least = Certainty.QUOTED if value.quoted else Certainty.LOOSE
    if joint["joint"] not in {"=", ":"} or joint["closed"]:
        return least
    is_assigned = joint["joint"] == "=" and not joint["gap"]
    if is_assigned and (text[start : joint.end("rest")].isupper() or text[start - 1 : start] == ";"):
        return Certainty.SETTING
    begin = text.rfind("\n", max(0, start - _LINE), start) + 1
    whole = _KEY_BEFORE.fullmatch(text, begin, start) and _SEPARATED.match(text, value.start + len(value.text))
    if value.quoted or not whole:
        return least
    if is_assigned:
        return Certainty.SETTING
    return Certainty.QUOTED if joint["joint"] == ":" and any(map(str.isdigit, value.text)) else least


def _is_phrase(value: Literal) -> bool:
    """The words of a wallet, or a passphrase."""
    return re.fullmatch(r"[a-z]{2,12}(?:[ -][a-z]{2,12}){3,23}", value.text) is not None and is_not_prose(value.text)


def _value(text: str, joint: re.Match[str], type: str) -> Literal | None:
    at, sign = joint.end(), joint["joint"] or ""
    if env := _ENV.match(text, at):
        at = env.end()
    if opening := _QUOTED.match(text, at):
        is_list = sign == "," and (opening[1] == "`" or "\n" in joint["gap"])
        return None if is_list else _quoted(text, opening)
    if octets := _OCTETS.match(text, at):
        return Literal(octets.start(1), octets[1], True) if type != "KEY" else None
    if sign.endswith(">") and sign not in {"=>", "->"}:
        element = _ELEMENT.match(text, at)
        return Literal(element.start(1), element[1], False) if element else None
    if sign in _ONLY_QUOTED or (env is None and _CALL.match(text, at, at + 61)):
        return None
    return _bare(text, at, type)


def _bare(text: str, at: int, type: str) -> Literal | None:
    if scheme := _SCHEME.match(text, at):
        at = scheme.end()
    bare = (_BARE_PASSWORD if type == "PASSWORD" else _BARE).match(text, at)
    if bare is None or bare.group().endswith(("...", "…")):
        return None
    value = bare.group().rstrip(".,:")
    if "," in value:  # the next setting
        value = re.split(r",(?=[\w ]{1,30}[:=])", value)[0]
    if "/" in value and type == "PASSWORD":
        value = re.split(r"/(?=[\w ]{1,30}[:=])", value)[0]
    return Literal(at, value, False)


def _quoted(text: str, opening: re.Match[str]) -> Literal | None:
    """Up to the closing quote, or to the end of a text that was cut."""
    quote, start = opening[1], opening.end()
    end = text.find(quote, start, start + _VALUE_LENGTH)
    line = text.find("\n", start, start + _VALUE_LENGTH) if len(quote) < 3 else -1
    if line >= 0 and not 0 <= end < line:
        end = line
    if end < 0:
        end = min(len(text), start + _VALUE_LENGTH)
    value = text[start:end]
    scheme = _SCHEME.match(value)
    stripped = value[scheme.end() if scheme else 0 :].strip()
    return Literal(start + value.rindex(stripped), stripped, True) if stripped else None
