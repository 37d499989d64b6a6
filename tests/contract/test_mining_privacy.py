"""What is secret or personal in a conversation never reaches a disk, a log or an error, on every database."""

from __future__ import annotations

import json
import logging
import random
import sqlite3
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import heedful
from heedful import JobState
from heedful.edges.worker import Worker
from heedful.errors import Forbidden, HeedfulError, NotFound
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, rows
from tests.contract.mining import (
    LINT,
    RULES,
    Messages,
    PlainReader,
    active,
    of_conversation,
    talk,
    taught,
    teach,
    whole,
)
from tests.feedback import dump, leaked
from tests.typed import insights


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=PlainReader())


def _made(letters: str, length: int, seed: int) -> str:
    """Nobody's: drawn when the test runs."""
    random_ = random.Random(seed)
    return "".join(random_.choice(letters) for _ in range(length))


WORDS = string.ascii_letters + string.digits
KEY = "AK" + "IA" + _made(string.ascii_uppercase + "234567", 16, 1)
TOKEN = "gh" + "p_" + _made(WORDS, 36, 2)
PASSWORD = _made(WORDS, 18, 3) + "!7"
ADDRESS = "marta." + "quomlixen" + "@" + "trizzolo.example.org"
PEM = _made(WORDS + "+/", 64, 4)
PHONE = "+49 30 " + _made(string.digits[1:], 7, 5)
SECRETS = [KEY, TOKEN, PASSWORD, ADDRESS, "quomlixen", PEM, PHONE.replace(" ", "")]


def _told() -> Messages:
    """Secrets wherever they may be: in what people say, in what tools are asked for, and in what these answer."""
    told = talk(LINT.replace("because", f"and mail {ADDRESS}, because"))
    told[0]["text"] += f"\nThe API key is {KEY}, and the password: {PASSWORD}"
    told[1]["tools"] = [{"name": "Bash", "input": f"curl -H 'Authorization: Bearer {TOKEN}' https://api.example.org"}]
    answer = f"-----BEGIN PRIVATE KEY-----\n{PEM}\n-----END PRIVATE KEY-----\nDATABASE_PASSWORD={PASSWORD}\n{TOKEN}"
    told.insert(2, {"role": "tool", "text": answer, "id": "t", "failed": True})
    told.append({"role": "user", "text": f"Call me at {PHONE}. Yours, {ADDRESS}", "id": "z"})
    return told


@contextmanager
def _watched(database: str, folder: Path, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing that happens inside leaves a secret in the database, in any file beside it or in the log."""
    caplog.set_level(logging.DEBUG)
    yield
    assert leaked(dump(database), SECRETS) == []
    assert leaked(caplog.text.encode(), SECRETS) == []
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix != ".jsonl":
            assert leaked(file.read_bytes(), SECRETS) == [], file.name


def test_secrets_that_are_handed_in_never_reach_the_database(
    loop: heedful.Loop, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with _watched(database, tmp_path, caplog):
        loop.capture.conversation(_told(), id="chat", title=f"Deploy with {TOKEN}", project="shop")
        assert leaked(dump(database), SECRETS) == []  # nor in between
        Worker(loop).run_all()
        told = loop.govern.conversations.get("chat")
        assert "make lint" in active(loop)[0].title
        assert leaked(repr([told, active(loop), list(loop.events())]).encode(), SECRETS) == []
        loop.apply.context("make lint")
        loop.learn.rebuild()


def test_the_same_secret_can_be_told_from_another_one_in_its_conversation_only(loop: heedful.Loop) -> None:
    shown = []
    for id in ("a", "b"):
        told = [{"role": "user", "text": f"The key is {KEY}. Again: {KEY}", "id": "m"}]
        loop.capture.conversation(told, id=id)
        (event,) = loop.events(kind="MESSAGE_SAID", entity=("conversation", id))
        first, again = event.after["text"].removeprefix("The key is ").split(". Again: ")
        assert first == again
        shown.append(first)

    assert shown[0] != shown[1]


def test_secrets_in_files_never_reach_the_database(
    loop: heedful.Loop, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = "0b6d6a5e-5f0c-4f8e-9a40-53a1c0de0009"
    path = tmp_path / f"{session}.jsonl"
    path.write_text("".join(_record(session, n, one) for n, one in enumerate(_told())) + f'{{"x": "{TOKEN}\n', "utf-8")
    with _watched(database, tmp_path, caplog):
        read = loop.capture.transcripts(path)
        assert read.messages >= 5
        assert leaked(repr(read).encode(), SECRETS) == []
        Worker(loop).run_all()
        assert {job.state for job in loop.jobs.all()} == {JobState.COMPLETED}


def _record(session: str, number: int, message: dict[str, Any]) -> str:
    """As Claude Code writes it."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message["text"]}]
    for call in message.get("tools", []):
        blocks.append({"type": "tool_use", "id": "c", "name": call["name"], "input": {"command": call["input"]}})
    if message["role"] == "tool":
        blocks = [{"type": "tool_result", "tool_use_id": "c", "content": message["text"], "is_error": True}]
    role = "user" if message["role"] == "tool" else message["role"]
    record = {
        "parentUuid": None, "isSidechain": False, "type": role, "uuid": f"{session}-{number}", "sessionId": session,
        "cwd": "/srv/work/shop", "message": {"role": role, "content": blocks},
    }  # fmt: skip
    return json.dumps(record) + "\n"


def test_what_is_refused_leaves_no_trace_and_its_error_quotes_nothing(
    loop: heedful.Loop, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loop.capture.event("FIELD_SET", id="chat/z")
    bad: list[Any] = [
        {"role": PASSWORD, "text": "Hello"},
        {"role": "user", "text": ["Hello", 5, PASSWORD]},
        {"role": "user", "text": f"{PASSWORD} " * 20_000},
        {"role": "user", "text": "Hello", "at": PASSWORD},
        {"role": "user", "text": "Hello", "failed": PASSWORD},
        {"role": "user", "text": "Hello", "tools": PASSWORD},
        {"role": "user", "text": "Hello", "tools": [{"name": "Bash", "input": [PASSWORD]}]},
        {"role": "user", "text": PASSWORD + "\ud800"},
        f"user: {PASSWORD}",
    ]
    with _watched(database, tmp_path, caplog):
        for one in [*bad, None]:
            messages = _told() if one is None else [*_told()[:-1], one]
            with pytest.raises(HeedfulError) as refused:
                loop.capture.conversation(messages, id="chat")
            assert leaked(f"{refused.value!r} {refused.value} {refused.value.hint}".encode(), SECRETS) == []
        assert [event.kind for event in loop.events()] == ["FIELD_SET"]


def test_a_database_that_refuses_quotes_nothing(
    loop: heedful.Loop, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loop.capture.conversation(_told(), id="before")
    _forbid(database, "MESSAGE_SAID")
    with _watched(database, tmp_path, caplog):
        with pytest.raises(HeedfulError) as refused:
            loop.capture.conversation(_told(), id="chat")
        error: BaseException | None = refused.value
        while error is not None:  # as a traceback would show it
            assert leaked(f"{error!r} {error}".encode(), SECRETS) == []
            error = error.__cause__ or error.__context__
        _forbid(database, "INSIGHT_EXTRACTED")
        Worker(loop).run_all()
        (job,) = loop.jobs.all(name="conversation.mine")
        assert job.state is JobState.FAILED
        assert leaked((job.error or "").encode(), SECRETS) == []
        assert "make lint" not in (job.error or "")


def _forbid(database: str, kind: str) -> None:
    """Have the database refuse rows, for a reason of its own."""
    if database.startswith("postgresql"):
        with psycopg.connect(database, autocommit=True) as connection:
            found = connection.execute("select oid::regclass::text from pg_class where relname = 'feedback_event'")
            ((table,),) = found.fetchall()
            connection.execute(f"alter table {table} add constraint no_{kind} check (kind <> '{kind}') not valid")
        return
    file = sqlite3.connect(database)
    file.execute(
        f"create trigger no_{kind} before insert on feedback_event when new.kind = '{kind}'"
        " begin select raise(abort, 'refused'); end"
    )
    file.commit()
    file.close()


def test_what_a_message_without_an_id_says_cannot_be_guessed_from_its_name(loop: heedful.Loop, database: str) -> None:
    """A digest of a short text tells the text to whoever tries all that it may be."""
    import hashlib

    text = f"Call {PHONE}"
    loop.capture.conversation([{"role": "user", "text": text}], id="chat")
    joined = "\x1f".join(("user", text, "None")).encode()
    bare = [hashlib.blake2b(joined, digest_size=12).hexdigest(), hashlib.sha256(joined).hexdigest()[:24]]

    assert leaked(dump(database), bare) == []


# Who may keep what


def test_an_organisation_that_keeps_no_texts_takes_no_conversations(loop: heedful.Loop, tmp_path: Path) -> None:
    loop.govern.set_privacy(store_original_text=False)
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": one["role"], "content": one["text"]} for one in talk(LINT)]), "utf-8")
    with pytest.raises(Forbidden):
        loop.capture.conversation(talk(LINT), id="chat")
    with pytest.raises(Forbidden):
        loop.capture.transcripts(path)

    assert list(loop.events(kind="MESSAGE_SAID")) == rows(loop, "reading") == []


def test_people_are_pseudonyms(loop: heedful.Loop, database: str, clock: FrozenClock) -> None:
    one = taught(loop, "a", LINT, actor="dana.kowalska")
    other = taught(loop, "b", RULES[1], actor="dana.kowalska")

    assert one.actor == other.actor != "dana.kowalska"
    assert one.actor is not None
    assert leaked(dump(database), ["kowalska"]) == []
    (known,) = loop.measure.reputations()
    assert (known.contributor, known.learnings) == (one.actor, 2)
    loop.govern.set_privacy(anonymize_users=False)
    assert taught(loop, "c", RULES[2], actor="dana").actor == "dana"
    assert {event.actor for event in loop.events(kind="MESSAGE_SAID") if event.meta["role"] != "user"} == {None}


def test_organisations_do_not_see_each_others_conversations_and_learnings(loop: heedful.Loop) -> None:
    mine = taught(loop, "chat", LINT)
    other = loop.org("globex")
    for ask in (insights(other).get, insights(other).why, insights(other).delete):
        with pytest.raises(NotFound):
            ask(mine.id)
    for look in (other.learn.mine, other.govern.conversations.get, other.govern.conversations.delete):
        with pytest.raises(NotFound):
            look("chat")
    assert (active(other), other.apply.search("make lint"), other.learn.curate()) == ([], [], [])
    assert other.measure.mining().conversations == 0

    theirs = teach(other, "chat", LINT)  # the same words in the same place, and nothing is known of them
    assert len(theirs.learned) == 1
    assert insights(loop).get(mine.id) == mine
    other.govern.conversations.delete("chat")
    assert of_conversation(loop, "chat") == [mine]
    for one in (loop, other):
        whole(one)
