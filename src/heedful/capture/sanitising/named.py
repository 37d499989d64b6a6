"""Secrets by their names: `api_key = "…"`, `PASSWORD=…`, `"token": "…"`, `--secret …`, `<pwd>…</pwd>`.

A name alone proves little: code is full of `token: string` and `password = ask()`. So the value is judged too. After
the name of a password nearly any literal counts; after other names only one that looks drawn at random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from heedful.capture.sanitising.finding import Finding
from heedful.capture.sanitising.literals import Place, Value, is_not_prose, is_secret
from heedful.capture.sanitising.places import places
from heedful.capture.sanitising.prose import HINTS, told

_NAME_LENGTH = 60
_VALUE_LENGTH = 1_000
_HINTS = (
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "signature", "salt", "jwt", "sig=", "nonce", "psk"),
    *("kennwort", "senha", "clave", "contrase", "mnemonic", "phrase", "seed"),
)
_FURTHER_HINTS = (
    *("lösenord", "hasło", "şifre", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "סיסמה"),
)
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

_PASSWORD_NAME = re.compile(
    r"(?:.*(?:password|passwd|passwrd|passwort|kennwort|pass_?phrase|passcode|contrase[nñ]a|senha|mot_?de_?passe|wachtwoord"
    r"|heslo|has[lł]o|parola|l[oö]senord|şifre|userpwd|proxypwd|dbpwd|requirepass|masterauth|storepass|keypass|userpass)"
    r"|(?:.*[_-]|.*(?:user|db|root|admin|my|any|default|key|mail|smtp|ftp|ssh|bind|sudo))?(?:pass|pwd|pw|psk|mdp|clave)"
    r"|пароль|密码|密碼|口令|パスワード|비밀번호|암호|סיסמה)\d{0,2}"
)
_SECRET_NAME = re.compile(
    r".*(?:secret|token|(?:api|secret|access|private|auth|signing|sign|encryption|encrypt|master|shared|account|client|"
    r"license|deploy|service|admin|app|storage|webhook|session|hmac|aes|jwt|rsa|ssh|security|subscription|server|crypto|cipher"
    r"|integration|application|validation|decryption|machine|write|read|ingest|instrumentation|user|host|functions?|pre_?shared|wireguard|stream|recovery)[_-]?key"
    r"|credentials?|creds?|(?:^|[_-])auth|authorization|bearer|jwt|signature|salt|nonce|seed|(?:^|[_-])sig|pkey|hmac"
    r"|(?:php|j|asp)sess(?:ion)?id)\d{0,2}"
)
_PHRASE_NAME = re.compile(r".*(?:mnemonic|(?:seed|recovery|backup|secret|wallet)[_ -]?(?:phrase|words))")
_KEY_NAME = re.compile(r"(?:.*[_-])?key\d{0,2}|.*[a-z]key")
_OTHER_NAME = re.compile(  # what ends alike and is no secret
    r"(?:.*[_-])?(?:public|publishable|site|measurement|primary|foreign|sort|cache|partition|idempotency|i18n|translation|storage|object|map|dict|query|index|"
    r"group|route|row|column|lookup|dedupe?|unique|item|react|state|setting|config|count|max|min|hot|shortcut|mon|tur|"
    r"accelerator|modifier|arrow|enter|function|composite|natural|surrogate|join|s3|lock|redis|metric|event)[_-]?keys?\d?"
    r"|(?:.*[_-])?(?:next|page|continuation|pagination|cancellation|sync|eos|bos|pad|stop|unk|special|syntax|design|color|css|"
    r"theme|total|max|num|input|output|cached|prompt|completion|css|lex|last|first|current)[_-]?tokens?\d?"
    r"|.*public_?key.*|.*(?:author|compass|bypass|trespass|by-pass|multipass|singlepass|render_?pass)|.*(?:commit|method)[_-]?signature"
)
_TRAILERS = re.compile(
    r"[_-]?(?:value|val|string|str|hex|b64|base64|default|prod|dev|test|staging|local|plain|text|data|raw|old|new|base)$"
)

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
        | [ ]\{\s{0,40}(?:[\w ]{1,20}=[^\n]{0,80}\n\s{0,40}){0,4}(?:default|value)[ ]{0,10}=   # variable "name" { default = "…" }
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
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]{3,1000}""")
_BARE_PASSWORD = re.compile(r"""[^\s"'`;<>(){}\[\]|\\&]{3,200}""")
_ELEMENT = re.compile(r"\s{0,40}(?:<!\[CDATA\[)?([^<>\n]{3,1000}?)\s{0,40}(?:\]\]>)?</")
_OCTET = r"(?:0x[0-9a-fA-F]{1,2}|\d{1,3})"
_OCTETS = re.compile(
    rf"(?:\[\]byte|bytes|bytearray|new byte\[\])[\s({{\[]{{1,4}}({_OCTET}(?:\s{{0,8}},\s{{0,8}}{_OCTET}){{7,512}})"
)


_DECLARED = (
    "#define ",
    "%define ",
    "setenv ",
    "SetEnv ",
    "ENV ",
    "ARG ",
    "setx ",
    "set ",
    "set -x ",
    "set -gx ",
    "setq ",
    "def ",
    "_header ",
)
_TYPES = frozenset({"is", "was", "ist", "lautet", "est", "es", "är", "jest", "is:"})
_SEPARATED = re.compile(r"[ \t]*(?:[;\r\n]|$|#|//|--)")
_LONG = 16
_LINE = 200  # characters of a line that are looked at


def named(text: str, lowered: str) -> Iterator[Finding]:
    seen: set[int] = set()
    for hint in _HINTS if lowered.isascii() else _HINTS + _FURTHER_HINTS:
        if hint not in lowered:
            continue
        end = 0
        for at in places(hint, lowered):
            if at >= end and (joint := _JOINT.match(text, at)) and joint.end() not in seen:
                seen.add(joint.end())
                if found := _assigned(text, at, joint):
                    end = found.end
                    yield found
            if at >= end and hint in HINTS:
                yield from told(text, lowered, at)


def _assigned(text: str, at: int, joint: re.Match[str]) -> Finding | None:
    before = text[max(0, at - _NAME_LENGTH) : at]
    start = at - (len(before) - len(before.rstrip(_NAME_SIGNS)))
    type = type_of_name(text[start : joint.end("rest")])
    if type is None or (place := _place(text, start, joint, type)) is None:
        return None
    value = _value(text, joint, type)
    if value is None:
        return None
    if type == "PHRASE" or "phrase" in joint["rest"].lower():
        if _is_phrase(value):
            return Finding(value.start, value.start + len(value.text), "SECRET", value.text)
        if type == "PHRASE":
            return None
    if joint["blank"] and type == "SECRET" and place == Place.LOOSE and not value.quoted and len(value.text) < _LONG:
        return None
    if value.quoted:
        place = max(place, Place.QUOTED)
    elif place == Place.BARE and _is_setting(text, start, joint, value):
        place = Place.SETTING
    if not is_secret(value, type, place):
        return None
    return Finding(value.start, value.start + len(value.text), "SECRET" if type == "KEY" else type, value.text)


@lru_cache(maxsize=4_096)  # names recur, and each takes longer to judge than to find
def type_of_name(name: str) -> str | None:
    """PASSWORD, SECRET, PHRASE, or KEY for what may be one."""
    # aPIKey, API_KEY and api-key are one name.
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("-_")
    name = _TRAILERS.sub("", name)
    if _OTHER_NAME.fullmatch(name):
        return None
    if _PASSWORD_NAME.fullmatch(name):
        return "PASSWORD"
    if _SECRET_NAME.fullmatch(name):
        return "SECRET"
    if _PHRASE_NAME.fullmatch(name):
        return "PHRASE"
    return "KEY" if _KEY_NAME.fullmatch(name) or "secret" in name or "token" in name or "passw" in name else None


def _place(text: str, start: int, joint: re.Match[str], type: str) -> Place | None:
    """How surely name and value belong together, if they do."""
    sign = joint["joint"]
    if sign is None:
        return _place_after_blank(text, start, joint, type)
    if sign.strip() in _TYPES:
        return Place.LOOSE if type in {"PASSWORD", "SECRET"} else None
    if sign == ">":
        return Place.BARE if start and (text[start - 1] in "<:" or joint["closed"]) else None
    if sign == "|":
        return Place.LOOSE if text[max(0, start - 4) : start].strip(" *`") == "|" else None
    if sign in {"==", "!=", "===", "!=="}:
        return Place.LOOSE
    if sign == ":" and text[start - 1 : start] == ":":
        return None  # a part of an identifier: `arn:aws:secretsmanager:…`
    return Place.BARE


def _place_after_blank(text: str, start: int, joint: re.Match[str], type: str) -> Place | None:
    """A blank joins a flag, a directive or a declaration with its value; otherwise only what is quoted."""
    before = text[max(text.rfind("\n", 0, start) + 1, start - _LINE) : start]
    if before.endswith(("--", " -", " /")) or text.startswith("-", start):
        return Place.QUOTED  # a flag, of a command or in a sentence about it
    if before.endswith(_DECLARED):
        return Place.SETTING
    if text[start : joint.end("rest")].lower() == "pass":
        return None  # the verb
    return (
        Place.LOOSE
        if type in {"PASSWORD", "SECRET"} or text[joint.end() : joint.end() + 1] in {"'", '"', "`"}
        else None
    )


def _is_setting(text: str, start: int, joint: re.Match[str], value: Value) -> bool:
    """`NAME=value`, as in files of settings, addresses of databases and commands: there even plain words are literals."""
    if joint["joint"] != "=" or joint["gap"] or joint["closed"]:
        return False
    if text[start : joint.end("rest")].isupper() or text[start - 1 : start] == ";":
        return True
    begin = text.rfind("\n", max(0, start - _LINE), start) + 1
    return (
        re.fullmatch(r"[\w.-]*", text[begin:start]) is not None
        and _SEPARATED.match(text, value.start + len(value.text)) is not None
    )


def _is_phrase(value: Value) -> bool:
    """The words of a wallet, or those of somebody who knows what a good password is."""
    return re.fullmatch(r"[a-z]{2,12}(?:[ -][a-z]{2,12}){3,23}", value.text) is not None and is_not_prose(value.text)


def _value(text: str, joint: re.Match[str], type: str) -> Value | None:
    at = joint.end()
    if env := _ENV.match(text, at):
        at = env.end()
    if opening := _QUOTED.match(text, at):
        is_list = joint["joint"] == "," and (opening[1] == "`" or "\n" in joint["gap"])
        return None if is_list else _quoted(text, opening)
    if octets := _OCTETS.match(text, at):
        return Value(octets.start(1), octets[1], True) if type != "KEY" else None
    if joint["joint"] is not None and joint["joint"].endswith(">") and joint["joint"] not in {"=>", "->"}:
        element = _ELEMENT.match(text, at)
        return Value(element.start(1), element[1], False) if element else None
    if joint["joint"] in {",", "(", "==", "!=", "===", "!=="}:
        return None
    if env is None and re.match(r"[\w.$]{1,60}[(\[]", text[at : at + 61]):
        return None  # a call, or an element of something
    bare = (_BARE_PASSWORD if type == "PASSWORD" else _BARE).match(text, at)
    if bare is None or bare.group().endswith(("...", "…")):
        return None
    value = bare.group().rstrip(".,:")
    if "," in value:  # the next setting
        value = re.split(r",(?=[\w ]{1,30}[:=])", value)[0]
    if "/" in value and type == "PASSWORD":
        value = re.split(r"/(?=[\w ]{1,30}[:=])", value)[0]
    return Value(at, value, False)


def _quoted(text: str, opening: re.Match[str]) -> Value | None:
    """To the same quote again, or to where a cut text ends."""
    quote, start = opening[1], opening.end()
    end = text.find(quote, start, start + _VALUE_LENGTH)
    line = text.find("\n", start, start + _VALUE_LENGTH) if len(quote) < 3 else -1
    if line >= 0 and not 0 <= end < line:
        end = line
    if end < 0:
        end = min(len(text), start + _VALUE_LENGTH)
    value = text[start:end]
    stripped = value.strip()
    return Value(start + value.index(stripped), stripped, True) if stripped else None
