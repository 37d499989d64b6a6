"""What a name says about its value: a password, a secret, a recovery phrase, or perhaps a key."""

from __future__ import annotations

import re
from functools import lru_cache

_PASSWORD_NAME = re.compile(
    r"(?:.{0,120}(?:password|passwd|passwrd|passwort|kennwort|pass_?phrase|passcode|contrase[nñ]a|senha|mot_?de_?passe|wachtwoord"
    r"|heslo|has[lł]o|parola|l[oö]senord|şifre|userpwd|proxypwd|dbpwd|requirepass|masterauth|storepass|keypass|userpass)"
    r"|(?:.{0,120}[_-]|.{0,120}(?:user|db|root|admin|my|any|default|key|mail|smtp|ftp|ssh|bind|sudo))?(?:pass|pwd|pw|psk|mdp|clave)"
    r"|пароль|密码|密碼|口令|パスワード|비밀번호|암호|סיסמה)s?\d{0,2}"
)
_SECRET_NAME = re.compile(
    r".{0,120}(?:secret|token|(?:api|secret|access|private|auth|signing|sign|encryption|encrypt|master|shared|account|client|"
    r"license|deploy|service|admin|app|storage|webhook|session|hmac|aes|jwt|rsa|ssh|security|subscription|server|crypto|cipher"
    r"|integration|application|validation|decryption|machine|write|read|ingest|instrumentation|user|host|functions?|pre_?shared|wireguard|stream|recovery)[_-]?key"
    r"|credentials?|creds?|(?:^|[_-])auth|authorization|bearer|jwt|salt|nonce|seed|(?:^|[_-])sig|pkey|hmac"
    r"|(?:php|j|asp)sess(?:ion)?id)\d{0,2}"
)
_PHRASE_NAME = re.compile(r".{0,120}(?:mnemonic|(?:seed|recovery|backup|secret|wallet)[_ -]?(?:phrase|words))")
_KEY_NAME = re.compile(r"(?:.{0,120}[_-])?key\d{0,2}|.{0,120}[a-z]key|.{0,120}signature")
_OTHER_NAME = re.compile(  # what ends alike and is no secret
    r"(?:.{0,120}[_-])?(?:public|publishable|site|measurement|primary|foreign|sort|cache|partition|idempotency|i18n|translation|"
    r"storage|object|map|dict|query|index|group|route|row|column|lookup|dedupe?|unique|item|react|state|setting|config|count|max|min|hot|shortcut|mon|tur|"
    r"accelerator|modifier|arrow|enter|function|composite|natural|surrogate|join|s3|lock|redis|metric|event)[_-]?keys?\d?"
    r"|(?:.{0,120}[_-])?(?:next|page|continuation|pagination|cancellation|sync|eos|bos|pad|stop|unk|special|syntax|design|color|css|"
    r"theme|total|max|num|input|output|cached|prompt|completion|css|lex|last|first|current)[_-]?tokens?\d?"
    r"|.{0,120}public_?key.{0,120}|.{0,120}(?:author|compass|bypass|trespass|by-pass|multipass|singlepass|render_?pass)"
    r"|.{0,120}(?:commit|method)[_-]?signature"
)
_TRAILERS = re.compile(
    r"[_-]?(?:value|val|string|str|hex|b64|base64|default|prod|dev|test|staging|local|plain|text|data|raw|old|new|base)$"
)
_BY_TYPE = (("PASSWORD", _PASSWORD_NAME), ("SECRET", _SECRET_NAME), ("PHRASE", _PHRASE_NAME), ("KEY", _KEY_NAME))


@lru_cache(maxsize=4_096)  # names recur, and each takes longer to judge than to find
def type_of_name(name: str) -> str | None:
    """PASSWORD, SECRET, PHRASE, or KEY for what may be one."""
    # aPIKey, API_KEY and api-key are one name.
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("-_")
    name = _TRAILERS.sub("", name)
    if _OTHER_NAME.fullmatch(name):
        return None
    for type, shape in _BY_TYPE:
        if shape.fullmatch(name):
            return type
    return "KEY" if "secret" in name or "token" in name or "passw" in name else None
