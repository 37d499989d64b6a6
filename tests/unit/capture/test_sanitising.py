"""Sanitising. Every secret here is made up and put together as the tests run: no scanner need mind this file."""

from __future__ import annotations

import hashlib
import random
import re
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.redaction import TYPES, Sanitiser
from heedful.text.redaction.formats import FORMATS, Format
from tests.examples import examples
from tests.unit.capture.credential_lines import WITH, lines

_LETTERS = string.ascii_letters + string.digits


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _drawn(length: int, signs: str = _LETTERS, seed: int = 7) -> str:
    return "".join(random.Random(seed).choices(signs, k=length))


def clean(text: str) -> str:
    return Sanitiser(_digest).clean(text)


def _types(text: str) -> dict[str, int]:
    sanitiser = Sanitiser(_digest)
    sanitiser.clean(text)
    return dict(sanitiser.found)


_VENDORS: dict[str, Callable[[], str]] = {
    "github": lambda: "ghp" + "_" + _drawn(36),
    "gitlab": lambda: "glpat" + "-" + _drawn(20),
    "openai": lambda: "sk" + "-proj-" + _drawn(48),
    "anthropic": lambda: "sk" + "-ant-api03-" + _drawn(60),
    "aws": lambda: "AK" + "IA" + _drawn(16, string.ascii_uppercase + string.digits),
    "google": lambda: "AI" + "za" + _drawn(35),
    "stripe": lambda: "sk" + "_live_" + _drawn(24),
    "slack": lambda: "xox" + "b-" + _drawn(12, string.digits) + "-" + _drawn(24),
    "npm": lambda: "npm" + "_" + _drawn(36),
    "sendgrid": lambda: "S" + "G." + _drawn(22) + "." + _drawn(43),
    "huggingface": lambda: "hf" + "_" + _drawn(34),
    "jwt": lambda: "ey" + "J" + _drawn(20) + "." + "ey" + "J" + _drawn(40) + "." + _drawn(43),
    "telegram": lambda: _drawn(9, string.digits[1:]) + ":A" + "A" + "H" + _drawn(32),
}


@pytest.mark.parametrize("vendor", _VENDORS)
@pytest.mark.parametrize("around", ["{}", "use {} for it", '"{}"', "--with={}", "`{}`,", "x\n{}\ny"])
def test_tokens_of_vendors_are_replaced_wherever_they_stand(vendor: str, around: str) -> None:
    token = _VENDORS[vendor]()
    cleaned = clean(around.format(token))
    assert token[8:] not in cleaned
    assert "[" in cleaned


_SYNTAXES = (
    "{}",
    'token = "{}"',
    "export TOKEN={}",
    "Authorization: Bearer {}",
    "I pasted {} into the chat",
    "<k>{}</k>",
)


def _of_alphabet(alphabet: str, length: int, seed: int) -> str:
    signs = [sign for sign in map(chr, range(33, 127)) if re.fullmatch(f"[{alphabet}]", sign)]
    return _drawn(length, "".join(signs), seed)


def _called(row: Format) -> str:
    return f"{row.provider} {row.prefixes.split()[0]}"


@pytest.mark.parametrize("format", FORMATS, ids=_called)
def test_each_format_is_found_in_several_syntaxes(format: Format) -> None:
    for seed, prefix in enumerate(format.prefixes.split()):
        token = prefix + _of_alphabet(format.alphabet, format.length, seed + 2).rstrip(".-=") + "a9"
        for around in _SYNTAXES:
            assert token not in clean(around.format(token)), (prefix, around)


@pytest.mark.parametrize("format", FORMATS, ids=_called)
def test_what_only_stands_for_a_token_of_a_format_is_left_alone(format: Format) -> None:
    for prefix in format.prefixes.split():
        for line in (f"{prefix}{'x' * format.length}", f"TOKEN={prefix}...", f"TOKEN=<{prefix}your-token-here>"):
            assert clean(line) == line


_SECRETS = {"PRIVATE_KEY", "TOKEN", "PASSWORD", "SECRET"}


def test_lines_with_a_credential_are_told_from_those_without() -> None:
    missed: dict[str, int] = dict.fromkeys([*WITH, "none"], 0)
    told = 0
    for seed in range(3):
        for kind, text, secret in lines(seed):
            told += 1
            wrong = not _SECRETS.isdisjoint(_types(text)) if secret is None else secret in clean(text)
            missed[kind] += wrong
    assert sum(missed.values()) <= 0.01 * told, missed
    assert max(missed.values()) <= 2, missed


def test_the_secret_part_of_a_webhook_is_replaced_and_its_host_is_readable() -> None:
    secret = "T" + _drawn(9) + "/B" + _drawn(9) + "/" + _drawn(24)
    cleaned = clean("post to https://hooks." + "slack.com/services/" + secret)
    assert secret not in cleaned
    assert "slack.com/services/[TOKEN:" in cleaned


_VALUE = _drawn(24)
_PASSWORD = "Tr0ub" + "adour&3"


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "{}"',
        "API_KEY={}",
        "export SECRET_TOKEN={}",
        "apiKey: '{}',",
        '"client_secret": "{}"',
        "auth_token: {}",
        "--token {}",
        "--api-key={}",
        "X-Api-Key: {}",
        'headers["Authorization"] = "Bearer {}"',
        "Authorization: Bearer {}",
        "curl https://api.corp.io/v1?access_token={}&page=2",
        "Cookie: theme=dark; sid={}",
        "AccountName=x;AccountKey={};EndpointSuffix=core",
        "<secret>{}</secret>",
        'API_KEY = os.environ.get("API_KEY", "{}")',
        'const accessToken =\n  "{}";',
        '{{\\"token\\": \\"{}\\"}}',
    ],
)
def test_values_with_secret_names_are_replaced(line: str) -> None:
    assert _VALUE not in clean(line.format(_VALUE))


@pytest.mark.parametrize(
    "line",
    [
        "password: {}",
        "DB_PASSWORD={}",
        'password = "{}"',
        "the password is {}",
        "postgres://app:{}@db.corp.io:5432/main",
        "Server=db;User Id=sa;Password={};Encrypt=yes",
        "curl -u 'admin:{}' https://corp.io",
        "machine corp.io login anna password {}",
        "mysql -h db -p{} main",
        "user=anna,pwd={}",
        "login('anna', password='{}')",
    ],
)
def test_passwords_are_replaced_and_the_line_stays_readable(line: str) -> None:
    cleaned = clean(line.format(_PASSWORD))
    assert _PASSWORD not in cleaned
    assert "[PASSWORD:" in cleaned


@pytest.mark.parametrize(
    "line",
    [
        "def login(user: str, password: str) -> Token:",
        "token: string;",
        'api_key = os.environ["API_KEY"]',
        "const token = await getToken(user)",
        "password = config.database.password",
        "API_KEY=${API_KEY}",
        "TOKEN=<your-api-key>",
        'password: "changeme"',
        'secret_key = "xxxxxxxxxxxx"',
        "Please reset the password, the token has expired.",
        '<input type="password" name="password" placeholder="Password">',
        "max_tokens: 4096, total_tokens=18231",
        "key: 'user-settings-v2'",
        'cache_key = "3f2a9c1d8e7b6a5f4c3d2e1f"',
        "primaryKey: 'account_id'",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id: 3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "numpy==2.1.3.post1, chrome/120.0.6099.129, version 1.2.3.4",
        "2024-01-15 12:34:56.789 took 1705322096 ms at src/app.py:120:33",
        "http://127.0.0.1:8080, 0.0.0.0, ::1, 192.168.1.20, 10.0.0.5 and fe80::1",
        "std::vec::Vec, a::b::c, 12:34:56",
        "from 10 to 20, 1024-2048, 3.14159265358979, 1,234,567 and 555 items in 175 307 407 427 1367",
        "git@github.com:acme/app.git, react@18.2.0, icon@2x.png, @app.route",
        "/home/runner/work, /Users/Shared/x, https://corp.io/home/about",
        "Claude Code said that Visual Studio and React Native work. Hello world, hi all!",
        "bypass = 'cackle'; compass; author = 'unknown'",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "Google Drive and 3 Google Drive folders; step 2 of the Road map",
    ],
)
def test_code_and_prose_that_hold_no_secret_stay_as_they_are(line: str) -> None:
    assert clean(line) == line


def _key(body: int = 8) -> tuple[str, str, str]:
    kind = "PRIVATE " + "KEY-----"
    lines = "\n".join(_drawn(64, _LETTERS + "+/", seed) for seed in range(body))
    return "-----BEGIN RSA " + kind, lines, "-----END RSA " + kind


def test_a_private_key_is_replaced_as_a_whole() -> None:
    begin, body, end = _key()
    cleaned = clean(f"before\n{begin}\n{body}\n{end}\nafter")
    assert cleaned.startswith("before\n[PRIVATE_KEY:")
    assert cleaned.endswith("]\nafter")


def test_a_private_key_that_was_cut_at_either_end_is_replaced() -> None:
    begin, body, end = _key()
    assert not any(line in clean(f"{begin}\n{body[:300]}") for line in body.split("\n"))
    assert not any(line in clean(f"{body[100:]}\n{end}\nok") for line in body.split("\n")[2:])
    assert clean(f"{begin}\n{body[:300]}\nThat was it.").endswith("That was it.")


def test_talk_about_private_keys_is_left_alone() -> None:
    begin, _, end = _key()
    text = f'if text.startswith("{begin}"):\n    return parse(text)  # up to {end}'
    assert clean(text) == text


@pytest.mark.parametrize("length", [12, 20, 40])
def test_a_token_cut_by_the_end_of_the_text_is_replaced(length: int) -> None:
    token = _VENDORS["github"]()[:length]
    assert token not in clean("it uses " + token)


def test_the_rest_of_a_token_at_the_beginning_of_a_text_is_replaced() -> None:
    rest = _drawn(30)
    assert rest not in clean(rest + " is what I pasted")


def test_a_quoted_secret_without_its_closing_quote_is_replaced() -> None:
    assert _VALUE not in clean('secret_key = "' + _VALUE)


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("write to anna.berg+x@mail.corp.io please", "EMAIL"),
        ("call +41 44 668 18 00 today", "PHONE"),
        ("Phone: (212) 736-5000", "PHONE"),
        ("my card 4" + "111 1111 1111 1111 is lost", "CARD"),
        ("pay to DE89 3704 0044 0532 " + "0130 00 by Friday", "IBAN"),
        ("SSN 219-09-" + "9998", "SSN"),
        ("requests from 85.214.132.117 fail", "IP"),
        ("peer 2a00:1450:4001:82b::200e answered", "IP"),
        ("ether 3c:22:fb:1a:90:4e txqueuelen", "MAC"),
        ("/Users/annaberg/src/app.py", "NAME"),
        ("C:\\Users\\annaberg\\src", "NAME"),
        ("my name is Anna Berg.", "NAME"),
        ("Co-Authored-By: Anna Berg <anna@corp.io>", "NAME"),
        ("Done.\n\nBest regards,\nAnna Berg", "NAME"),
        ("Hi Anna,\nit works", "NAME"),
        ("ask Dr. Feldmann about it", "NAME"),
        ("it is at 221 Old Mill Road, Springfield", "ADDRESS"),
        ("born on 3 May 1984", "BIRTHDATE"),
    ],
)
def test_personal_data_are_replaced_by_type(text: str, type: str) -> None:
    assert type in _types(text)


def test_only_the_name_in_a_path_is_replaced() -> None:
    name = f"[NAME:{_digest('annaberg')[:4]}]"
    assert clean("/Users/annaberg/src/app.py") == f"/Users/{name}/src/app.py"
    assert clean("C:\\\\Users\\\\annaberg\\\\x") == f"C:\\\\Users\\\\{name}\\\\x"


def test_a_name_found_once_is_replaced_everywhere_in_the_text() -> None:
    cleaned = clean("My name is Katrin Feldmann. Later Feldmann wrote it, and Katrin agreed.")
    assert "Feldmann" not in cleaned
    assert "Katrin" not in cleaned


def test_the_same_thing_gets_the_same_placeholder_however_it_is_written() -> None:
    first, second = clean("Anna@Corp.io"), clean("anna@corp.IO")
    assert first == second == f"[EMAIL:{_digest('anna@corp.io')[:4]}]"


def test_another_key_gives_another_placeholder() -> None:
    other = Sanitiser(lambda value: _digest("other" + value))
    assert other.clean("anna@corp.io") != clean("anna@corp.io")


def test_a_password_that_was_told_is_known_again_where_nothing_says_what_it_is() -> None:
    sanitiser = Sanitiser(lambda value: f"{hash(value) & 0xFFFFFFFF:08x}")
    assert "Wald4Hirsch!x" not in sanitiser.clean("the password is Wald4Hirsch!x")
    again = sanitiser.clean('{"Wald4Hirsch!x": true} and I typed Wald4Hirsch!x into the form')
    assert again.count("[PASSWORD:") == 2
    assert sanitiser.clean("a word such as production stays") == "a word such as production stays"


def test_neither_the_sanitiser_nor_what_it_found_shows_a_value() -> None:
    sanitiser = Sanitiser(_digest)
    sanitiser.clean("password = '" + _PASSWORD + "' of anna@corp.io")
    assert repr(sanitiser) == "Sanitiser(2 replaced)"
    assert not any(value in repr(vars(sanitiser)) for value in (_PASSWORD, "anna"))


def test_each_type_is_described() -> None:
    assert len({kind.name for kind in TYPES}) == len(TYPES)
    assert all(kind.meaning for kind in TYPES)


_PIECES = st.sampled_from(
    [
        *(
            "password=",
            "token: ",
            "key = ",
            "Bearer ",
            "Cookie: a=",
            "my name is ",
            "Hi ",
            "Anna",
            "Berg",
            "https://a:b",
        ),
        *("anna@corp.io", "@corp.io", "85.214.132.117", "+41 44 668 18 00", "/home/anna/", "221 Old Mill Road"),
        *("[EMAIL:3f2a]", "[NAME:", "-----BEGIN PRIVATE" + " KEY-----", "4" + "111111111111111"),
        *(_VALUE, _PASSWORD, _drawn(40)),
        *("\ud800", "\x00", "İ", "é", "𝄞", "\n", " ", "0", "1", "x"),
        *("'", '"', "`", "{", "}", "${", "(", ")", "<", ">", ",", ".", ":", "/", "\\", "-", "=", "@"),
    ]
)
_TEXTS = st.one_of(st.text(st.characters(), max_size=200), st.lists(_PIECES, max_size=30).map("".join))


@examples(400)
@given(_TEXTS)
def test_cleaning_again_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert clean(text) == once


@examples(200)
@given(_TEXTS, st.sampled_from(sorted(_VENDORS)), _TEXTS)
def test_a_token_does_not_survive_whatever_stands_around_it(before: str, vendor: str, after: str) -> None:
    token = _VENDORS[vendor]()
    assert token not in clean(f"{before} {token} {after}")


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "1", "key=", 'password="', "@", "-----", "1.", "a:", "\ud800", "\x00", "İ", "{"),
        *(
            "curl -u ",
            "password is ",
            "login('",
            "insert into t (password) values (",
            "root / ",
            "<password>",
            "sk-",
            "$2b$",
        ),
    ],
)
def test_long_texts_of_one_piece_are_survived(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert len(clean(text)) > 0
