"""Where the search for secrets begins: words that stand before them. The first look at a text asks for the same."""

from __future__ import annotations

NAMES = (
    *("pass", "pw", "secret", "token", "key", "auth", "cred", "signature", "salt", "jwt", "sig=", "nonce", "psk"),
    *("kennwort", "senha", "clave", "contrase", "mnemonic", "phrase", "seed"),
)
"""Parts of the names of secrets, in small letters."""

FURTHER_NAMES = (
    *("lösenord", "hasło", "şifre", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호", "סיסמה"),
)
"""The same in texts that are not ASCII."""

CALLS_WITH_PASSWORD = ("login", "auth", "cred", "connect", "user", "mysqli", "pdo(")
CALLS_WITH_KEY = ("jwt", "hmac", "cipher", "sign", "crypt", "fernet")
"""What the names of calls hold that take one among their arguments."""

FLAGS = r" -{1,2}(?:[pPuUaAwXNkKb]|auth|from-literal)"
"""The flags of commands that a password may follow."""

COMMANDS_WITHOUT_FLAG = ("rabbitmqctl", "convertto-secure", "vault login", "sqlplus", "net use")
