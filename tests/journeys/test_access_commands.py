"""A person at a terminal who lets others in: keys, organisations, webhooks, as they are typed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful import Role
from heedful.edges.cli import main
from heedful.operations.caller import Caller
from tests.contract.test_webhooks import Receiver, receiving

Run = Callable[..., Result]


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A server on this machine that webhooks may post to."""
    monkeypatch.setenv("HEEDFUL_WEBHOOK_ALLOW", "127.0.0.1")
    with receiving() as receiver:
        yield receiver


def _json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def _said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def _opens(database: str, secret: str) -> Caller | None:
    with heedful.open(database) as loop:
        return loop.govern.access.by_key(secret)


# Keys


def test_a_key_is_shown_once_and_works_until_it_is_revoked(run: Run, database: str) -> None:
    said = _said(run("keys", "create", "--org", "acme", "--role", "operator", "--name", "order desk"))
    (secret,) = re.findall(r"^\s*(heedful_key_\S+)\s*$", said, re.MULTILINE)
    assert "a key for acme as operator: order desk" in said
    assert "cannot be shown again" in said
    caller = _opens(database, secret)
    assert caller is not None
    assert (caller.org, caller.role, caller.name) == ("acme", Role.OPERATOR, "order desk")

    listed = _said(run("keys", "list", "--org", "acme"))
    assert re.search(rf"valid\s+operator\s.*order desk\s+{caller.key}", listed)
    assert secret not in listed

    assert "order desk is revoked" in _said(run("keys", "revoke", caller.key, "--org", "acme"))
    assert _opens(database, secret) is None
    assert re.search(r"revoked\s+operator", _said(run("keys", "list", "--org", "acme")))


def test_programs_get_keys_as_json(run: Run, database: str) -> None:
    made = _json(
        run(
            "keys", "create", "--org", "acme", "--role", "viewer", "--name", "screen", "--id", "screen",
            "--days", "90", "--rate-limit", "60", "--json",
        )
    )  # fmt: skip
    assert (made["id"], made["name"], made["role"], made["rate_limit"]) == ("screen", "screen", "viewer", 60)
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)
    assert _opens(database, made["secret"]) == Caller("acme", Role.VIEWER, "screen", "screen", 60)

    (listed,) = _json(run("--org", "acme", "keys", "list", "--json"))
    assert (listed["id"], listed["secret"], listed["revoked_at"]) == ("screen", None, None)
    assert listed["last_used_at"] is not None
    revoked = _json(run("--org", "acme", "keys", "revoke", "screen", "--json"))
    assert (revoked["id"], revoked["secret"]) == ("screen", None)
    assert revoked["revoked_at"] is not None


def test_the_same_key_again_is_not_shown_again(run: Run) -> None:
    words = ("keys", "create", "--role", "admin", "--name", "boss", "--id", "boss")
    assert "heedful_key_" in _said(run(*words))

    again = _said(run(*words))
    assert "heedful_key_" not in again
    assert "was shown when it was created" in again
    assert _json(run(*words, "--json"))["secret"] is None
    assert len(_json(run("keys", "list", "--json"))) == 1


def test_what_was_done_to_keys_is_in_the_log(run: Run) -> None:
    run("keys", "create", "--role", "admin", "--name", "boss", "--id", "boss")
    run("keys", "revoke", "boss")

    assert [json.loads(line)["kind"] for line in _said(run("events", "--json", "--all")).splitlines()] == [
        "AUDIT_KEY_CREATED",
        "AUDIT_KEY_REVOKED",
    ]


def test_a_list_without_keys_says_how_to_make_one(run: Run) -> None:
    run("init")

    assert "heedful keys create" in _said(run("keys", "list"))
    assert _json(run("keys", "list", "--json")) == []


def test_names_are_shown_as_they_were_written(run: Run) -> None:
    run("keys", "create", "--role", "admin", "--name", "[red]x[/red] :smile:")

    assert "[red]x[/red] :smile:" in _said(run("keys", "list"))


# Organisations


def test_organisations_have_tiers(run: Run) -> None:
    run("init")
    assert "no organisations yet" in _said(run("orgs"))
    assert _json(run("orgs", "--json")) == []
    for org in ("acme", "globex"):
        run("record", "FIELD_SET", "--org", org)

    assert "acme is on the free tier" in _said(run("orgs", "--tier", "free", "--org", "acme"))

    assert re.search(r"acme\s+free\s+globex\s+enterprise", _said(run("orgs")))
    assert _json(run("orgs", "--json")) == [{"org": "acme", "tier": "free"}, {"org": "globex", "tier": "enterprise"}]
    refused = run("webhooks", "create", "https://example.com/", "--org", "acme")
    assert refused.exit_code == 1
    assert "needs the tier teams" in refused.output
    assert _json(run("orgs", "--tier", "teams", "--org", "acme", "--json")) == {"org": "acme", "tier": "teams"}
    assert run("webhooks", "create", "https://example.com/", "--org", "acme").exit_code == 0


def test_the_tier_of_the_installation_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("record", "FIELD_SET", "--org", "acme")
    monkeypatch.setenv("HEEDFUL_TIER", "teams")

    assert _json(run("orgs", "--json")) == [{"org": "acme", "tier": "teams"}]


# Webhooks


def test_a_webhook_from_its_creation_to_its_removal(run: Run, receiver: Receiver) -> None:
    made = _said(
        run("webhooks", "create", receiver.url, "--kind", "FIELD_SET", "--kind", "EDIT_ACCEPTED", "--id", "erp")
    )
    assert f"default posts EDIT_ACCEPTED, FIELD_SET to {receiver.url}" in made
    assert len(re.findall(r"^\s*whsec_\S+\s*$", made, re.MULTILINE)) == 1
    listed = _said(run("webhooks", "list"))
    assert re.search(rf"active\s+EDIT_ACCEPTED, FIELD_SET\s+{receiver.url}\s+erp", listed)
    assert "whsec_" not in listed

    receiver.answers(500, 204)
    for id in ("a", "b"):
        run("record", "FIELD_SET", "--id", id)
    run("record", "MAPPING_CONFIRMED")
    run("work", "--once")
    deliveries = _said(run("webhooks", "deliveries", "erp"))
    assert re.search(r"completed\s+1\s.*\sb\s", deliveries)
    assert re.search(r"failed\s+1\s.*\sa\s.*The receiver answered 500", deliveries)
    assert len(re.findall("completed|failed", _said(run("webhooks", "deliveries", "erp", "-n", "1")))) == 1

    receiver.posted.clear()
    assert "posts them to erp" in _said(run("webhooks", "replay", "erp", "--since", "1h"))
    run("work", "--once")
    assert "b" in receiver.ids  # and "a" is still on its way, by itself

    assert f"removed the webhook for {receiver.url}" in _said(run("webhooks", "remove", "erp"))
    assert "no webhooks yet" in _said(run("webhooks", "list"))


def test_programs_get_webhooks_as_json(run: Run, receiver: Receiver) -> None:
    made = _json(run("webhooks", "create", receiver.url, "--id", "erp", "--org", "acme", "--json"))
    assert (made["id"], made["url"], made["kinds"]) == ("erp", receiver.url, [])
    assert made["secret"].startswith("whsec_")
    again = _json(run("webhooks", "create", receiver.url, "--id", "erp", "--org", "acme", "--json"))
    assert again == {**made, "secret": None}
    assert _json(run("webhooks", "list", "--org", "acme", "--json")) == [again]

    run("record", "FIELD_SET", "--org", "acme")
    run("work", "--once")
    (delivery,) = _json(run("webhooks", "deliveries", "erp", "--org", "acme", "--json"))
    assert (delivery["state"], delivery["attempts"], delivery["error"]) == ("completed", 1, None)
    job = _json(run("webhooks", "replay", "erp", "--org", "acme", "--json"))
    assert (job["name"], job["state"]) == ("webhooks.fan_out", "queued")
    run("work", "--once")
    assert [event.kind for event in receiver.events] == ["FIELD_SET"] * 2
    assert _json(run("webhooks", "remove", "erp", "--org", "acme", "--json"))["id"] == "erp"
    assert _json(run("webhooks", "list", "--org", "acme", "--json")) == []


def test_a_webhook_made_before_is_not_shown_its_secret_again(run: Run) -> None:
    words = ("webhooks", "create", "https://example.com/", "--id", "erp")
    assert "whsec_" in _said(run(*words))

    again = _said(run(*words))
    assert "default posts every event to https://example.com/" in again
    assert "whsec_" not in again


def test_a_webhook_that_was_switched_off_says_why(run: Run, receiver: Receiver) -> None:
    receiver.answers(410)
    run("webhooks", "create", receiver.url, "--id", "erp")
    run("record", "FIELD_SET")
    run("work", "--once")

    assert "off: The receiver answered 410" in _said(run("webhooks", "list"))


# Mistakes

WRONG = [
    (["keys", "create", "--name", "x"], 2, "Missing option '--role'"),
    (["keys", "create", "--role", "admin"], 2, "Missing option '--name'"),
    (["keys", "create", "--role", "boss", "--name", "x"], 2, "'boss' is not one of 'admin'"),
    (["keys", "create", "--role", "admin", "--name", " "], 2, "name is empty"),
    (["keys", "create", "--role", "admin", "--name", "\udcff"], 2, "invalid Unicode"),
    (["keys", "create", "--role", "admin", "--name", "x", "--days", "0"], 2, "--days"),
    (["keys", "create", "--role", "admin", "--name", "x", "--days", "soon"], 2, "--days"),
    (["keys", "create", "--role", "admin", "--name", "x", "--rate-limit", "0"], 2, "--rate-limit"),
    (["keys", "create", "--role", "admin", "--name", "x", "--rate-limit", "9" * 30], 2, "rate_limit is 9"),
    (["keys", "create", "--role", "admin", "--name", "x", "--org", " "], 2, "org is empty"),
    (["keys", "create", "--role", "admin", "--name", "other", "--id", "taken"], 1, "different key with the id 'taken'"),
    (["keys", "revoke"], 2, "Missing argument 'ID'"),
    (["keys", "revoke", "nope"], 4, "no key 'nope'"),
    (["keys", "revoke", "taken", "--org", "globex"], 4, "no key 'taken'"),
    (["keys", "dance"], 2, "No such command"),
    (["orgs", "--tier", "gold"], 2, "'gold' is not one of 'free'"),
    (["webhooks", "create"], 2, "Missing argument 'URL'"),
    (["webhooks", "create", "example.com"], 2, "not of the form https://host/path"),
    (["webhooks", "create", "https://10.0.0.1/"], 2, "not on the public internet"),
    (["webhooks", "create", "http://example.com/"], 2, "not encrypted"),
    (["webhooks", "create", "https://example.com/\udcff"], 2, "non-ASCII"),
    (["webhooks", "create", "https://example.com/", "--kind", "field set"], 2, "FIELD_SET"),
    (["webhooks", "create", "https://example.com/other", "--id", "erp"], 1, "different webhook with the id 'erp'"),
    (["webhooks", "deliveries", "nope"], 4, "no webhook 'nope'"),
    (["webhooks", "deliveries", "erp", "-n", "0"], 2, "--limit"),
    (["webhooks", "replay", "nope"], 4, "no webhook 'nope'"),
    (["webhooks", "replay", "erp", "--since", "yesterday"], 2, "is not a time"),
    (["webhooks", "replay", "erp", "--since", "2026-01-05T09:00:00"], 2, "no time zone"),
    (["webhooks", "remove", "nope"], 4, "no webhook 'nope'"),
    (["webhooks", "remove", "erp", "--org", "globex"], 4, "no webhook 'erp'"),
]


def test_wrong_input_gets_a_reason_and_an_exit_code(run: Run) -> None:
    run("keys", "create", "--role", "admin", "--name", "boss", "--id", "taken")
    run("webhooks", "create", "https://example.com/", "--id", "erp")
    for words, code, says in WRONG:
        result = run(*words)
        assert result.exit_code == code, (words, result.output)
        assert says in re.sub(r"[\s│]+", " ", result.output), (words, result.output)
        assert "Traceback" not in result.output

    assert [key["id"] for key in _json(run("keys", "list", "--json"))] == ["taken"]
    assert [webhook["id"] for webhook in _json(run("webhooks", "list", "--json"))] == ["erp"]


def test_errors_are_json_too(run: Run) -> None:
    run("init")
    for words, error in (
        (["keys", "revoke", "nope"], "not_found"),
        (["keys", "create", "--role", "admin", "--name", ""], "invalid_id"),
        (["webhooks", "create", "https://10.0.0.1/"], "invalid_input"),
        (["webhooks", "remove", "nope"], "not_found"),
    ):
        result = run(*words, "--json")
        assert result.exit_code != 0
        told = json.loads(result.stdout)
        assert told["error"] == error
        assert told["hint"]


def test_looking_does_not_create_a_database(tmp_path: Path) -> None:
    for words in (
        ["keys", "list"], ["keys", "revoke", "x"], ["orgs"], ["orgs", "--tier", "free"], ["webhooks", "list"],
        ["webhooks", "deliveries", "x"], ["webhooks", "replay", "x"], ["webhooks", "remove", "x"],
    ):  # fmt: skip
        result = CliRunner().invoke(main, ["--database", str(tmp_path / "typo.db"), *words])
        assert result.exit_code == 4, words
        assert "heedful init" in result.output
    assert list(tmp_path.glob("typo*")) == []
