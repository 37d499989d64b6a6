"""Lines with and without a credential, by kind. Every secret is drawn as the tests run: no scanner need mind this file.

`{p}` stands for a password as people choose them, `{s}` for a drawn secret, `{h}` for a drawn host, `{u}` for a user.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import NamedTuple

_WORDS = (
    *("amber", "birch", "cobalt", "delta", "ember", "fjord", "garnet", "harbor"),
    *("indigo", "juniper", "kestrel", "lantern", "maple", "nimbus", "opal", "prairie"),
)
_USERS = ("anna", "billing", "deploy", "svc_app", "m.keller", "root")
_ALNUM = string.ascii_letters + string.digits

WITH: dict[str, tuple[str, ...]] = {
    "assigned in code": (
        'password = "{p}"',
        "const dbPassword = '{p}';",
        'var pwd string = "{p}"',
        'private static final String PASSWORD = "{p}";',
        "$db_pass = '{p}';",
        "my $password = '{p}';",
        'let secret: &str = "{s}";',
        "let apiKey: String = \"{s}\"",
        'val clientSecret = "{s}"',
        'char password[] = "{p}";',
        '#define WIFI_PASSWORD "{p}"',
        "password <- '{p}'",
        '(setq smtp-password "{p}")',
        '{{:username "{u}" :password "{p}"}}',
        '{{password, "{p}"}}',
        ":password => '{p}',",
        'Dim strPassword As String = "{p}"',
        'self.auth_token = "{s}"',
        'if password == "{p}":',
        'if ("{p}".equals(password)) {{',
        "$env:DB_PASSWORD = '{p}'",
        'ConvertTo-SecureString -String "{p}" -AsPlainText -Force',
    ),
    "settings": (
        "DB_PASSWORD={p}",
        "spring.datasource.password={p}",
        "  password: {p}",
        'password = "{p}"',
        "api_key: {s}",
        "export SECRET_KEY_BASE={s}",
        "set API_TOKEN={s}",
        "ENV MYSQL_ROOT_PASSWORD {p}",
        "requirepass {p}",
        "- name: DB_PASSWORD\n  value: {p}",
        '{{"name": "API_TOKEN", "value": "{s}"}}',
        "machine {h} login {u} password {p}",
        "{h}:5432:main:{u}:{p}",
        "wpa_passphrase={p}",
        "PresharedKey = {s}=",
        "username {u} password 0 {p}",
        "bind-password {p}",
        "//registry.npmjs.org/:_authToken={s}",
    ),
    "addresses": (
        "postgres://{u}:{p}@{h}:5432/main",
        "mongodb+srv://{u}:{p}@{h}/?retryWrites=true",
        "redis://:{p}@{h}:6379/0",
        "https://{u}:{s}@{h}/git/app.git",
        "Server={h};User Id={u};Password={p};",
        "jdbc:mysql://{h}:3306/app?user={u}&password={p}",
        "https://{h}/v1/items?api_key={s}&page=2",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={s}{s}==;EndpointSuffix=core.windows.net",
        "sqlplus {u}/{p}@ORCL",
    ),
    "requests": (
        "Authorization: Bearer {s}",
        'headers = {{"Authorization": "Token {s}"}}',
        "X-Api-Key: {s}",
        "curl -H 'X-Auth-Token: {s}' https://{h}/",
        "Cookie: session={s}; theme=dark",
        "proxy_set_header X-Vault-Token {s};",
        'req.Header.Set("X-API-Key", "{s}")',
        "Set-Cookie: sid={s}; HttpOnly",
    ),
    "commands": (
        "mysql -u {u} -p{p} main",
        "curl -u {u}:{p} https://{h}/",
        "sshpass -p '{p}' ssh {u}@{h}",
        "redis-cli -h {h} -a {p} ping",
        "docker login -u {u} -p {p} {h}",
        "sqlcmd -S {h} -U sa -P {p}",
        "ldapsearch -x -D cn=admin -w {p}",
        "unzip -P {p} backup.zip",
        "gh-tool --token {s} list",
        "keytool -storepass {p} -list",
        "openssl enc -aes-256-cbc -pass pass:{p}",
        'echo "{u}:{p}" | chpasswd',
        "mosquitto_pub -u {u} -P {p} -t x",
        "htpasswd -b .htpasswd {u} {p}",
        "kubectl create secret generic db --from-literal=x={p}",
        "mongosh --host {h} -u {u} -p {p}",
        "net use z: \\\\{h}\\share /user:{u} /password:{p}",
    ),
    "statements": (
        "CREATE USER {u} IDENTIFIED BY '{p}';",
        "CREATE ROLE app LOGIN PASSWORD '{p}';",
        "ALTER USER app WITH ENCRYPTED PASSWORD '{p}';",
        "CREATE LOGIN app WITH PASSWORD = N'{p}';",
        "SET PASSWORD FOR 'app'@'%' = PASSWORD('{p}');",
        "INSERT INTO users (name, password) VALUES ('{u}', '{p}');",
        "UPDATE users SET password='{p}' WHERE id=1;",
        "GRANT ALL ON app.* TO 'app'@'%' IDENTIFIED BY '{p}';",
    ),
    "arguments": (
        'client.login("{u}", "{p}")',
        "requests.get(url, auth=('{u}', '{p}'))",
        'new NetworkCredential("{u}", "{p}")',
        "smtp.login('{u}', '{p}')",
        'DriverManager.getConnection(url, "{u}", "{p}")',
        "jwt.encode(payload, '{s}', algorithm='HS256')",
        "crypto.createHmac('sha256', '{s}')",
        'conn.setPassword("{p}")',
        'builder.password("{p}").build()',
        "mysqli_connect('localhost', '{u}', '{p}', 'app');",
        "define('DB_PASSWORD', '{p}');",
    ),
    "markup": (
        "<password>{p}</password>",
        '<add key="SmtpPassword" value="{p}" />',
        '<property name="password" value="{p}"/>',
        "<name>javax.jdo.option.ConnectionPassword</name>\n<value>{p}</value>",
        "<key>apiToken</key>\n<string>{s}</string>",
        '<param name="password">{p}</param>',
        "| password | {p} |",
        "- **Password:** {p}",
        "| **Password** | `{p}` |",
    ),
    "sentences": (
        "the password is {p}",
        "Password for the staging box is {p}, please keep it",
        "use {p} as the password",
        "I changed the root password to {p} yesterday",
        "you can log in with admin / {p}",
        "login: {u} / {p}",
        "creds are {u}:{p}",
        "# TODO remove: pw is {p}",
        "Das Passwort lautet {p}.",
        "le mot de passe est {p}",
        "our api key is {s}",
        "// password: {p}",
    ),
}  # fmt: skip

WITHOUT: tuple[str, ...] = (
    'password = os.environ["DB_PASSWORD"]',
    "password: ${{DB_PASSWORD}}",
    'password = getpass("Password: ")',
    "def login(user: str, password: str) -> Token:",
    "password: string;",
    'password: Field(default="", min_length=8)',
    "token = await client.fetch_token(user_id)",
    'raise ValueError("password must have 8 characters")',
    "API_KEY=<your-api-key>",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "password=changeme",
    'secret_key = "your-secret-key-here"',
    "POSTGRES_PASSWORD_FILE=/run/secrets/db_password",
    "password: {{{{ vault_db_password }}}}",
    "ALTER USER app WITH PASSWORD :password;",
    "INSERT INTO users (name, password) VALUES (?, ?)",
    "CREATE USER app IDENTIFIED BY '$DB_PASSWORD';",
    "mysql -u root -p main",
    "docker run -p 8080:80 nginx",
    "curl -u $USER:$TOKEN https://{h}/",
    "ssh -p 2222 {u}@{h}",
    "Reset your password within 24 hours, the token expires at 10:30.",
    "The token limit is 4096 and max_tokens=2048.",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    '"integrity": "sha512-{s}{s}=="',
    'publicKey: "{s}{s}"',
    "id: 3fa85f64-5717-4562-b3fc-2c963f66afa6",
    'key = "user-settings-v2"',
    'cache_key = f"user:{{user_id}}:v2"',
    "auth: {{ user: config.user, pass: config.pass }}",
    '<input type="password" name="password" placeholder="Password">',
    "password.validate(/^(?=.*[0-9])(?=.*[a-z]).{{8,}}$/)",
    "if (password === confirmPassword) return;",
    "connect('localhost', 5432)",
    "from auth import login, logout",
    "secretKeyRef: {{name: db-credentials, key: password}}",
    'token_type = "Bearer"',
    '"passwordPolicy": "strong-v2"',
    "I forgot the password for staging, who can reset it?",
    "see https://{h}/docs/authentication#tokens",
    "password_hash = bcrypt.hashpw(password, salt)",
    "jwt.decode(token, key, algorithms=['RS256'])",
    "secret: !Ref DatabaseSecret",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    'password = "********"',
    "passwd: *default_password",
    'const PASSWORD_RESET = "password-reset-request";',
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1b2c3",
    "AWS_SECRET_ACCESS_KEY=$(aws ssm get-parameter --name key)",
)


class Line(NamedTuple):
    kind: str
    text: str
    secret: str | None


def lines(seed: int) -> Iterator[Line]:
    """Each template once, with other values by seed."""
    draw = random.Random(seed)
    for kind, templates in WITH.items():
        for template in templates:
            password, secret = _password(draw), _secret(draw)
            text = template.format(p=password, s=secret, h=_host(draw), u=draw.choice(_USERS))
            yield Line(kind, text, password if "{p}" in template else secret)
    for template in WITHOUT:
        yield Line("none", template.format(p="", s=_secret(draw), h=_host(draw), u=draw.choice(_USERS)), None)


def _password(draw: random.Random) -> str:
    one, two = draw.sample(_WORDS, 2)
    number = str(draw.randint(10, 9999))
    return draw.choice(
        [
            one.title() + number + draw.choice("!#*?"),
            one + number + two.title(),
            f"{one.title()}_{two.title()}{number}",
            one + draw.choice("@$") + two.upper() + number,
            "".join(draw.choices(_ALNUM, k=11)) + number[0],
        ]
    )


def _secret(draw: random.Random) -> str:
    signs = draw.choice([_ALNUM, string.ascii_lowercase + string.digits, string.hexdigits[:16]])
    return "".join(draw.choices(signs, k=draw.choice([24, 32, 40])))


def _host(draw: random.Random) -> str:
    return f"{draw.choice(_WORDS)}.{draw.choice(_WORDS)}-labs.io"
