"""No secret reaches the database, whichever operation it comes in by and wherever it stands. All are made up here."""

from __future__ import annotations

import random
import string
from pathlib import Path
from typing import Any

import pytest

import heedful
from heedful.errors import HeedfulError, InvalidId
from heedful.govern.sharing.file import checksum
from heedful.measure import Measure
from heedful.operations.operation import SensitiveField, operation_of
from heedful.records.event import noted
from heedful.records.proposal import MADE, Act
from heedful.wire import Wire, wires
from tests.conftest import OpenLoop
from tests.contexts import give
from tests.typed import insights


def _drawn(length: int, seed: int, signs: str = string.ascii_letters + string.digits) -> str:
    return "".join(random.Random(seed).choices(signs, k=length))


KEY_ID = "AK" + "IA" + _drawn(16, 3, string.ascii_uppercase + string.digits)
PASSWORD = "vT7" + _drawn(13, 5)
DRAWN = _drawn(40, 8)
PINCODE = 73918264
SECRETS = (KEY_ID, PASSWORD, DRAWN, str(PINCODE))
TEXT = f'It ran with {KEY_ID}.\nThen password = "{PASSWORD}" failed.'
JSON = {
    "note": TEXT,
    "deep": [{"list": [[TEXT], {"password": PASSWORD}]}],
    "db_password": PINCODE,
    "api_key": DRAWN,
    KEY_ID: "as a name",
    "later": f"and {PASSWORD} again",
}


def _shared(**fields: Any) -> dict[str, Any]:
    """A file with one learning."""
    said = {"title": f"Log in with {KEY_ID}", "content": {"what": TEXT}, "tags": ["login"], "rule": True}
    learning = {
        "kind": "insight",
        "category": "workflow",
        "about": None,
        "at": "2026-01-05T09:00:00Z",
        "fields": said | fields,
        "confidence": 0.9,
        "confirmed": 1,
        "rated_up": 0,
        "rated_down": 0,
        "reputation": 0.9,
    }
    return _sealed({"patterns": [], "statistics": None, "learnings": [learning]})


def _sealed(sections: dict[str, Any]) -> dict[str, Any]:
    told = {
        "format": "heedful-learnings",
        "version": 3,
        "exported_at": "2026-01-05T09:00:00Z",
        "min_people": 1,
        "note": TEXT,
        **sections,
    }
    return told | {"checksum": checksum(told)}


def _export() -> dict[str, Any]:
    """A file that hides nobody, with secrets wherever it holds people's words."""
    decisions = {"accepted": 5, "modified": 3, "rejected": 4}
    pattern = {
        "rule_id": "no-secrets",
        "pattern_type": "mixed",
        "original_pattern": KEY_ID,
        "suggested_pattern": f'password = "{PASSWORD}"',
        "differences": [[KEY_ID, "nothing"]],
        "success_rate": 0.6667,
        "common_rejection_reason": TEXT,
        **{**decisions, "people": 1, "count": 12},
    }
    detail = {
        "days": [
            {
                "day": "2026-01-05",
                "category": "style",
                "bulk": False,
                "skipped": 0,
                "stated": 0,
                "right": 0,
                **decisions,
            }
        ],
        "confidences": [],
        "modifications": [
            {"kind": "replaced", "removed": KEY_ID, "added": TEXT, "suggested": TEXT, "modification": TEXT, "count": 3}
        ],
    }
    rule = {
        "rule_id": "no-secrets",
        "rule_name": "n",
        "feedback_count": 12,
        "acceptance_rate": 0.6667,
        "modification_rate": 0.25,
        "confidence_accuracy": None,
        **{**decisions, "skipped": 0, "people": 1},
        "detail": detail,
    }
    rates = ("overall_acceptance_rate", "acceptance_rate_trend", "modification_rate", "skip_rate")
    statistics = {
        "total_feedback": 12,
        "rules_with_feedback": 1,
        **dict.fromkeys(rates, 0.0),
        **{"start": None, "end": None, "by_rule": {"no-secrets": rule}, "by_category": {}},
    }
    learnings = _shared()["learnings"]
    return _sealed({"patterns": [pattern], "statistics": statistics, "learnings": learnings})


_MESSAGES = [
    {"role": "user", "text": TEXT, "id": KEY_ID, "tools": [{"name": f"run {KEY_ID}", "input": TEXT}]},
    {"role": "assistant", "text": f"The cause is that {PASSWORD} was wrong."},
]
_SPECIAL: dict[str, dict[str, Any]] = {
    "capture.conversation": {"messages": _MESSAGES},
    "capture.message": {
        "message": f'Actually it should be password = "{PASSWORD}", not {KEY_ID}',
        "last_output": f"You log in with {KEY_ID} here.",
    },
    "capture.review": {
        "decision": "APPROVED_WITH_CHANGES",
        "output": TEXT,
        "approved": f"{TEXT}!",
        "diff": f"@@ -1 +1 @@\n-{TEXT}\n+{TEXT}!\n",
    },
    "capture.document_words": {"pages": [{"width": 595, "height": 842, "words": [[0.1, 0.1, 0.2, 0.12, KEY_ID]]}]},
    "govern.import_": {"learnings": _export(), "as_own": True},
    "measure.outcome": {"success": None},
}


def poisoned(wire: Wire, ids: dict[str, str]) -> dict[str, Any]:
    """The example of an operation, with secrets in every text."""
    hints = wire.operation.hints()
    told: dict[str, Any] = dict(wire.operation.example)
    for parameter in wire.operation.parameters:
        hint = str(hints[parameter.name])
        if (
            wire.operation.fields.get(parameter.name) is SensitiveField.TEXT
            or "'str'" in hint
            or hints[parameter.name] is str
        ):
            told[parameter.name] = JSON if "Mapping" in hint else TEXT
    if told.keys() >= {"wrong", "right"}:
        told["right"] = f"{TEXT} Not so."
    told |= _SPECIAL.get(wire.id, {})
    if "{id}" in wire.operation.path and (own := ids.get(wire.operation.path.split("/")[1])):
        told["id"] = own
    return told


def filled(loop: heedful.Loop) -> dict[str, str]:
    """Something that can be edited, retired and decided on."""
    correction = loop.capture.correction("make ship", "make release")
    give(loop, correction.id, id=operation_of(Measure.outcome).example["context"])
    loop.govern.import_(_shared(title="Run make lint", content={"what": "Run make lint first."}))
    learning = insights(loop).page().items[0]
    made = noted(MADE, loop.store.clock(), meta={"act": Act.RETIRE.value, "learnings": [learning.id], "reason": "old"})
    loop.store.record([made])
    return {"corrections": correction.id, "learnings": learning.id, "proposals": made.id}


def stored(loop: heedful.Loop) -> str:
    """Everything in the database, as text."""
    names = {
        "sqlite": "select name from sqlite_master where type = 'table'",
        "postgresql": "select table_name from information_schema.tables where table_schema = current_schema()",
    }[loop.store.database.dialect]
    with loop.store.database.read(loop.name) as transaction:
        return "\n".join(
            str(row)
            for (table,) in transaction.query(names, {})
            for row in transaction.query(f'select * from "{table}"', {})
        )


def refuse_secrets(text: str) -> None:
    for secret in SECRETS:
        at = text.find(secret)
        assert at < 0, text[max(0, at - 300) : at + 60]


def _writing() -> list[Wire]:
    return [wire for wire in wires() if not wire.operation.streams]


def test_no_operation_stores_a_secret_wherever_it_stands(loop: heedful.Loop) -> None:
    ids = filled(loop)
    kept = 0
    for wire in _writing():
        before = loop.store.log.head()
        try:
            wire.call(loop, poisoned(wire, ids))
        except HeedfulError:
            if wire.operation.creates:
                raise
        kept += loop.store.log.head() > before
    assert kept >= 12
    text = stored(loop)
    assert "[TOKEN:" in text
    assert "[PASSWORD:" in text
    refuse_secrets(text)


def test_a_file_of_learnings_is_redacted_in_every_text_it_holds(loop: heedful.Loop) -> None:
    for org, as_own in ((loop.org("moved"), True), (loop.org("told"), False)):
        brought = org.govern.import_(_export(), as_own=as_own)
        assert (brought.rules, brought.learnings) == (1, 1)
        assert "[TOKEN:" in insights(org).page().items[0].title
        (event,) = org.events(kind="LEARNING_IMPORTED")
        assert KEY_ID.lower() not in stored(org).lower()  # patterns are kept in small letters
        assert "[token:" in event.after_json.lower()
        assert ("[PASSWORD:" in str(event.after.get("edits"))) is as_own
        refuse_secrets(stored(org))


def test_many_at_once_are_redacted_as_one_is(loop: heedful.Loop) -> None:
    acts = [{"kind": "FIELD_SET", "after": JSON, "id": "one"}, {"kind": "FIELD_SET", "meta": JSON}]
    assert loop.capture.events(acts) == 2
    assert not [answer for answer in loop.capture.record(acts) if isinstance(answer, HeedfulError)]
    line = b'{"kind": "FIELD_SET", "after": {"note": "\\u0041' + KEY_ID[1:].encode() + b'"}}'
    assert loop.capture.events([line]) == 1
    loop.capture.fixes([{"rule": "r", "decision": "modified", "original": TEXT, "suggested": "x", "final": TEXT}])
    loop.capture.corrections([{"wrong": TEXT, "right": f"say {KEY_ID}", "query": TEXT}])
    refuse_secrets(stored(loop))


def test_an_identifier_that_holds_a_secret_is_refused_by_every_operation(loop: heedful.Loop) -> None:
    tried = 0
    for wire in _writing():
        for name, field in wire.operation.fields.items():
            if field is not SensitiveField.IDENTIFIER:
                continue
            value: Any = KEY_ID
            if name in ("tags", "kinds", "rules", "suggestions"):
                value = [KEY_ID]
            if name == "entity":
                value = ("order", KEY_ID)
            with pytest.raises(InvalidId, match="secret"):
                wire.call(loop, {**wire.operation.example, name: value})
            tried += 1
    assert tried > 30
    refuse_secrets(stored(loop))


def test_the_same_act_sent_again_is_recognised_though_it_held_a_secret(loop: heedful.Loop) -> None:
    first = loop.capture.event("FIELD_SET", after=JSON, id="act-1")
    again = loop.capture.event("FIELD_SET", after=dict(reversed(JSON.items())), id="act-1")
    assert again == first
    with pytest.raises(heedful.errors.Conflict):
        loop.capture.event("FIELD_SET", after={**JSON, "more": 1}, id="act-1")
    one = loop.capture.fix("r", "accepted", original=TEXT, suggested="x", id="fix-1")
    assert loop.capture.fix("r", "accepted", original=TEXT, suggested="x", id="fix-1") == one
    heard = loop.capture.message(**_SPECIAL["capture.message"], id="said-1")
    assert heard.correction is not None
    assert loop.capture.message(**_SPECIAL["capture.message"], id="said-1").correction == heard.correction


def test_the_same_secret_has_one_placeholder_in_an_organisation_and_another_in_the_next(loop: heedful.Loop) -> None:
    def placeholder(where: heedful.Loop) -> str:
        return str(where.capture.event("FIELD_SET", after={"note": f"use {KEY_ID} now"}).after["note"])

    assert placeholder(loop) == placeholder(loop) != placeholder(loop.org("next"))


def test_personal_data_goes_where_privacy_says_so(loop: heedful.Loop) -> None:
    told = {"note": "Write to dana.miller@acme.com about it"}
    assert loop.capture.event("FIELD_SET", after=told).after == told
    loop.govern.set_privacy(redact_personal_data=True)
    assert "[EMAIL:" in loop.capture.event("FIELD_SET", after=told).after["note"]
    loop.govern.set_privacy(redact_personal_data=False)
    assert loop.capture.event("FIELD_SET", after=told).after == told


def test_what_nothing_is_kept_of_stays_as_it_is(loop: heedful.Loop) -> None:
    assert loop.apply.improve(TEXT).text == TEXT


def test_every_byte_of_the_file_is_free_of_secrets(tmp_path: Path) -> None:
    with heedful.open(tmp_path / "heedful.db", org="acme") as loop:
        loop.capture.event("FIELD_SET", before=JSON, after=JSON, meta=JSON)
        loop.capture.fix("r", "rejected", original=TEXT, suggested="x", comment=TEXT)
        loop.capture.correction(TEXT, f"rather {KEY_ID}", why=TEXT, query=TEXT, sentence=TEXT)
    for file in tmp_path.iterdir():
        refuse_secrets(file.read_bytes().decode("latin-1"))


def test_what_takes_the_place_of_a_secret_is_one_too(open_loop: OpenLoop) -> None:
    loop = open_loop()
    said = loop.capture.message(
        "nope, tulip23", last_output="The guest wifi password is sunflower22.", query="wifi for guests?"
    )

    assert said.correction is not None
    assert (said.correction.wrong, said.correction.right) == ("", "")
    assert "tulip23" not in said.correction.said
    assert "tulip23" not in str([(event.after_json, event.meta_json) for event in loop.events()])


def test_no_pair_cuts_through_a_placeholder(open_loop: OpenLoop) -> None:
    loop = open_loop()
    old, new = (f"sk-proj-{_drawn(40, seed)}" for seed in (21, 22))
    said = loop.capture.message(f"no, it's {new}", last_output=f"Use the key {old}.", query="which key?")

    assert said.correction is not None
    assert (said.correction.wrong, said.correction.right, said.correction.fixed) == ("", "", "")
