"""Secrets by their names: `api_key = "…"`, `PASSWORD=…`, `"token": "…"`, `--secret …`, `<pwd>…</pwd>`.

A name alone proves little: code is full of `token: string` and `password = ask()`. So the value is judged too. After
the name of a password nearly any literal counts; after other names only one that looks drawn at random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from heedful.capture.sanitising.finding import Finding
from heedful.capture.sanitising.literals import Value, is_secret
from heedful.capture.sanitising.places import places

_NAME_LENGTH = 60
_VALUE_LENGTH = 1_000
_HINTS = (
    "pass",
    "pw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "signature",
    "salt",
    "jwt",
    "sig=",
    "kennwort",
    "senha",
)
_FURTHER_HINTS = ("contraseña", "пароль", "密码", "パスワード", "비밀번호")
_NAME_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

_PASSWORD_NAME = re.compile(
    r"(?:.*(?:password|passwd|passwort|kennwort|passphrase|passcode|contraseña|senha|userpwd|proxypwd|dbpwd)"
    r"|(?:.*[_-]|.*(?:user|db|root|admin|my|any|default|key|mail|smtp|ftp|ssh))?(?:pass|pwd|pw)"
    r"|пароль|密码|パスワード|비밀번호)\d{0,2}"
)
_SECRET_NAME = re.compile(
    r".*(?:secret|token|(?:api|secret|access|private|auth|signing|sign|encryption|encrypt|master|shared|account|client|"
    r"license|deploy|service|admin|app|storage|webhook|session|hmac|aes|jwt|rsa|ssh|security|subscription|server)[_-]?key"
    r"|credentials?|(?:^|[_-])auth|authorization|bearer|jwt|signature|salt|(?:^|[_-])sig|pkey)\d{0,2}"
)
_KEY_NAME = re.compile(r"(?:.*[_-])?key\d{0,2}|.*[a-z]key")
_OTHER_NAME = re.compile(  # what ends alike and is no secret
    r"(?:.*[_-])?(?:public|primary|foreign|sort|cache|partition|idempotency|i18n|translation|storage|object|map|dict|query|index|"
    r"group|route|row|column|lookup|dedupe?|unique|item|react|state|setting|config|count|max|min|hot|shortcut|mon|tur|"
    r"accelerator|modifier|arrow|enter|function|composite|natural|surrogate|join|s3|lock|redis|metric|event)[_-]?keys?\d?"
    r"|(?:.*[_-])?(?:next|page|continuation|pagination|cancellation|sync|eos|bos|pad|stop|unk|special|syntax|design|color|css|"
    r"theme|total|max|num|input|output|cached|prompt|completion|css|lex|last|first|current)[_-]?tokens?\d?"
    r"|.*(?:author|compass|bypass|trespass|by-pass|multipass|singlepass|render_?pass)|.*(?:commit|method)[_-]?signature"
)
_TRAILERS = re.compile(
    r"[_-]?(?:value|val|string|str|hex|b64|base64|default|prod|dev|test|staging|local|plain|text|data|raw|old|new)$"
)

# From the hint on: the rest of the name, what closes it, and what joins it to the value.
_JOINT = re.compile(
    r"""(?P<rest>[\w-]{0,40}+)
    (?:
      (?P<closed>\\?["'`]|&quot;)?\]?\)?                             # "name", ["name"], 'name')
      (?:[ \t]{0,8}:[ \t]{0,4}(?:str|string|String|&str|char\[\]|Optional\[str\]|string[ ]\|[ ]null)(?=[ \t]{0,4}=))?
      [ \t]{0,40}(?P<joint>
          =>|:=|\|\|=|\?\?=|\?=|===?|!==?|=|:(?!:)
        | (?<=["'])[ \t]{0,4},[ \t]{0,4}["']?[vV]alue["']?[ \t]{0,4}[:=]   # "key": "name", "value":
        | ,|\(|>|[ \t]is[ \t]|[ \t]was[ \t])
      (?P<gap>[ \t]{0,40}(?:\\?\r?\n[ \t]{0,40}(?=["'`]))?)
    | (?P<blank>[ \t]{1,8})
    )""",
    re.VERBOSE,
)
_ENV = re.compile(
    r"""(?:[\w.]{0,30}env[\w.]{0,20}(?:\(|\[)[ ]?\\?["'][^"'\n]{1,80}["'][ ]{0,2}
        (?:,|[)\]][ ]{0,2}(?:or|\|\||\?\?)) | \$\{\w{1,60}:[-=])[ ]{0,4}""",
    re.VERBOSE,
)  # fmt: skip
_QUOTED = re.compile(r"""[\(\[]{0,2}(?:[bfruBFRUL@$]{1,2}(?=["'`]))?(\"\"\"|\'\'\'|\\+"|\\+'|&quot;|["'`])""")
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]{3,1000}""")
_BARE_PASSWORD = re.compile(r"""[^\s"'`;<>(){}\[\]|\\&]{3,200}""")
_OCTET = r"(?:0x[0-9a-fA-F]{1,2}|\d{1,3})"
_OCTETS = re.compile(
    rf"(?:\[\]byte|bytes|bytearray|new byte\[\])[\s({{\[]{{1,4}}({_OCTET}(?:\s{{0,8}},\s{{0,8}}{_OCTET}){{7,512}})"
)


def named(text: str, lowered: str) -> Iterator[Finding]:
    seen: set[int] = set()
    for hint in _HINTS if lowered.isascii() else _HINTS + _FURTHER_HINTS:
        end = 0
        for at in places(hint, lowered):
            if at >= end and (joint := _JOINT.match(text, at)) and joint.end() not in seen:
                seen.add(joint.end())
                if found := _assigned(text, at, joint):
                    end = found.end
                    yield found


def _assigned(text: str, at: int, joint: re.Match[str]) -> Finding | None:
    before = text[max(0, at - _NAME_LENGTH) : at]
    start = at - (len(before) - len(before.rstrip(_NAME_SIGNS)))
    type = _type(text[start : joint.end("rest")])
    if type is None or not _is_joined(text, start, joint, type):
        return None
    value = _value(text, joint, type)
    if value is None or not is_secret(value, type, setting=_is_setting(text, start, joint)):
        return None
    if type == "KEY":
        type = "SECRET"
    return Finding(value.start, value.start + len(value.text), type, value.text)


@lru_cache(maxsize=4_096)  # names recur, and each takes longer to judge than to find
def _type(name: str) -> str | None:
    # aPIKey, API_KEY and api-key are one name.
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("-_")
    name = _TRAILERS.sub("", name)
    if _PASSWORD_NAME.fullmatch(name) and not _OTHER_NAME.fullmatch(name):
        return "PASSWORD"
    if _OTHER_NAME.fullmatch(name):
        return None
    if _SECRET_NAME.fullmatch(name):
        return "SECRET"
    return "KEY" if _KEY_NAME.fullmatch(name) or "secret" in name or "token" in name or "passw" in name else None


def _is_joined(text: str, start: int, joint: re.Match[str], type: str) -> bool:
    """Whether name and value belong together: a blank joins only after a flag, `is` only in prose about passwords."""
    sign = joint["joint"]
    if joint["blank"]:
        line = text.rfind("\n", max(0, start - 200), start) + 1
        before = text[max(line, start - 200) : start]
        flag = text.startswith("--", start) or before.endswith("--")
        return (
            flag or before.endswith(("%define ", "#define ", "setenv ")) or (type == "PASSWORD" and "login " in before)
        )
    if sign.strip() in {"is", "was"}:
        return type == "PASSWORD"
    if sign == ">":
        return text[start - 1 : start] in {"<", ":"} and start > 0
    return sign not in {"==", "!=", "===", "!=="}


def _is_setting(text: str, start: int, joint: re.Match[str]) -> bool:
    """`NAME=value` without any blank, as in files of settings and commands: there even plain words are literals."""
    return (
        joint["joint"] == "="
        and not joint["gap"]
        and joint["closed"] is None
        and text[start : joint.end("rest")].isupper()
    )


def _value(text: str, joint: re.Match[str], type: str) -> Value | None:
    at = joint.end()
    if env := _ENV.match(text, at):
        at = env.end()
    if opening := _QUOTED.match(text, at):
        return None if opening[1] == "`" and joint["joint"] == "," else _quoted(text, opening)
    if octets := _OCTETS.match(text, at):
        return Value(octets.start(1), octets[1], True) if type != "KEY" else None
    if joint["joint"] in {",", "("}:
        return None
    if env is None and re.match(r"[\w.$]{1,60}[(\[]", text[at : at + 61]):
        return None  # a call, or an element of something
    bare = (_BARE_PASSWORD if type == "PASSWORD" else _BARE).match(text, at)
    if bare is None:
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
