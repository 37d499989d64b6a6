"""Keywords at which the search for secrets starts; the prefilter uses the same."""

from __future__ import annotations

NAMES = (
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "signature", "salt", "jwt", "sig=", "nonce", "psk"),
    *("kennwort", "senha", "clave", "contrase", "mnemonic", "phrase", "seed"),
)
"""Parts of the names of secrets, in lower case."""

FURTHER_NAMES = (
    *("lösenord", "hasło", "şifre", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "סיסמה"),
)
"""The same for texts that are not ASCII."""

CALLS_WITH_PASSWORD = ("login", "auth", "cred", "connect", "user", "mysqli", "pdo(")
CALLS_WITH_KEY = ("jwt", "hmac", "cipher", "sign", "crypt", "fernet")
"""Parts of the names of functions that take a secret as an argument."""

FLAGS = r" -{1,2}(?:[pPuUaAwXNkKb]|auth|from-literal)"
"""Flags that a password may follow."""

COMMANDS_WITHOUT_FLAG = ("rabbitmqctl", "convertto-secure", "vault login", "sqlplus", "net use")
