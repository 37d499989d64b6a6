"""Keys, sign-in links and sessions: who is let in, and as whom, on every database."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import orjson
import pytest

import heedful
from heedful import Role
from heedful.errors import Conflict, Forbidden, HeedfulError, InvalidId, InvalidInput, NotFound
from heedful.operations.caller import Caller, acting
from heedful.records.key import Identity, Key
from heedful.records.tier import Tier
from heedful.testing import FrozenClock
from heedful.text.redaction import Sanitiser
from tests.conftest import OpenLoop


class Undone(Exception):
    """What ends a transaction early."""


def _secret(key: Key) -> str:
    assert key.secret is not None
    return key.secret


def _made(loop: heedful.Loop, role: Role = Role.OPERATOR, **options: Any) -> str:
    return _secret(loop.govern.keys.create("order desk", role=role, **options))


def _caller(loop: heedful.Loop, role: Role, **options: Any) -> Caller:
    found = loop.govern.access.by_key(_made(loop, role, **options))
    assert found is not None
    return found


def _audit(loop: heedful.Loop) -> list[heedful.Event]:
    return [event for event in loop.events() if event.kind.startswith("AUDIT_")]


def _table(loop: heedful.Loop, table: str) -> str:
    """Everything a table holds, of all organisations, as text."""
    with loop.store.database.read(None) as transaction:
        return str(transaction.query(f"select * from {table}", {}))


# Keys


def test_a_key_opens_the_door_in_its_role(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR, rate_limit=90)

    assert loop.govern.access.by_key(_secret(key)) == Caller("acme", Role.OPERATOR, key.id, "order desk", 90)


def test_a_key_is_shown_once(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)

    assert _secret(key).startswith("heedful_key_")
    assert len(_secret(key)) > 40
    assert loop.govern.keys.get(key.id).secret is None
    assert [listed.secret for listed in loop.govern.keys.all()] == [None]
    assert loop.govern.keys.revoke(key.id).secret is None


def test_only_hashes_are_in_the_database(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    link = loop.govern.access.sign_in_link(key.id)
    kept = _table(loop, "api_key") + _table(loop, "sign_in") + str(list(loop.events()))

    assert "order desk" in kept
    for secret in (_secret(key), link):
        assert secret not in kept
        assert secret.partition("_")[2] not in kept


def test_what_is_no_key_opens_nothing(loop: heedful.Loop) -> None:
    secret = _made(loop)
    changed = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    nonsense = ["", "heedful_key_", "heedful_key_nope", "*", "\udcff", "x" * 100_000, "' or 1=1 --"]

    for wrong in (changed, secret + " ", secret[:-1], secret.removeprefix("heedful_key_"), *nonsense):
        assert loop.govern.access.by_key(wrong) is None, wrong


def test_the_hash_of_a_key_is_not_a_key(loop: heedful.Loop) -> None:
    _made(loop)
    with loop.store.database.read(None) as transaction:
        ((kept,),) = transaction.query("select hash from api_key", {})

    assert loop.govern.access.by_key(kept) is None


def test_a_revoked_key_opens_nothing_and_stays_listed(loop: heedful.Loop, clock: FrozenClock) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    clock.advance(hours=1)

    revoked = loop.govern.keys.revoke(key.id)

    assert revoked.revoked_at == clock.now
    assert loop.govern.access.by_key(_secret(key)) is None
    assert loop.govern.keys.all() == [revoked]


def test_revoking_twice_changes_nothing(loop: heedful.Loop, clock: FrozenClock) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    first = loop.govern.keys.revoke(key.id)
    clock.advance(hours=1)

    assert loop.govern.keys.revoke(key.id) == first
    assert [event.kind for event in _audit(loop)] == ["AUDIT_KEY_CREATED", "AUDIT_KEY_REVOKED"]


def test_an_expired_key_opens_nothing(loop: heedful.Loop, clock: FrozenClock) -> None:
    secret = _made(loop, days=90)

    clock.advance(days=89, hours=23)
    assert loop.govern.access.by_key(secret) is not None
    clock.advance(hours=1)
    assert loop.govern.access.by_key(secret) is None


def test_keys_are_listed_the_oldest_first(loop: heedful.Loop, clock: FrozenClock) -> None:
    for name in ("c", "a", "b"):
        loop.govern.keys.create(name, role=Role.VIEWER)
        clock.advance(seconds=1)

    assert [key.name for key in loop.govern.keys.all()] == ["c", "a", "b"]


def test_the_last_use_is_known_to_the_minute(loop: heedful.Loop, clock: FrozenClock) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    assert loop.govern.keys.get(key.id).last_used_at is None

    first = clock.now
    loop.govern.access.by_key(_secret(key))
    assert loop.govern.keys.get(key.id).last_used_at == first
    clock.advance(seconds=59)
    loop.govern.access.by_key(_secret(key))
    assert loop.govern.keys.get(key.id).last_used_at == first
    clock.advance(seconds=2)
    loop.govern.access.by_key(_secret(key))
    assert loop.govern.keys.get(key.id).last_used_at == clock.now


def test_trying_a_key_that_is_not_valid_is_no_use_of_it(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    loop.govern.keys.revoke(key.id)

    loop.govern.access.by_key(_secret(key))

    assert loop.govern.keys.get(key.id).last_used_at is None


def test_the_same_key_again_is_the_first_one_without_its_secret(loop: heedful.Loop, clock: FrozenClock) -> None:
    wanted: dict[str, Any] = {"role": Role.OPERATOR, "rate_limit": 60, "days": 9}
    first = loop.govern.keys.create("order desk", id="desk", **wanted)
    loop.govern.access.by_key(_secret(first))
    clock.advance(hours=1)

    again = loop.govern.keys.create("order desk", id="desk", **wanted)

    assert again.secret is None
    assert (again.id, again.created_at) == ("desk", first.created_at)
    assert loop.govern.access.by_key(_secret(first)) is not None
    assert len(loop.govern.keys.all()) == len(_audit(loop)) == 1


def test_an_id_that_another_key_has_is_refused(loop: heedful.Loop, clock: FrozenClock) -> None:
    wanted: dict[str, Any] = {"name": "order desk", "role": Role.OPERATOR, "id": "desk"}
    others = {"name": "packing desk", "role": Role.ADMIN, "rate_limit": 60, "days": 1}
    loop.govern.keys.create(**wanted)

    for name, value in others.items():
        with pytest.raises(Conflict, match="different key"):
            loop.govern.keys.create(**{**wanted, name: value})
    assert len(loop.govern.keys.all()) == len(_audit(loop)) == 1


def test_a_revoked_key_does_not_come_back_by_its_id(loop: heedful.Loop) -> None:
    first = loop.govern.keys.create("order desk", role=Role.OPERATOR, id="desk")
    loop.govern.keys.revoke("desk")

    again = loop.govern.keys.create("order desk", role=Role.OPERATOR, id="desk")

    assert again.secret is None
    assert again.revoked_at is not None
    assert loop.govern.access.by_key(_secret(first)) is None


def test_those_who_make_the_same_key_at_once_get_one_key(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(6)]  # each with connections of its own, as in other processes
    start = Barrier(len(loops))

    def make(loop: heedful.Loop) -> Key:
        start.wait()
        return loop.govern.keys.create("order desk", role=Role.OPERATOR, id="desk")

    with ThreadPoolExecutor(len(loops)) as threads:
        made = list(threads.map(make, loops))

    secrets = [key.secret for key in made if key.secret is not None]
    assert len(secrets) == 1
    assert loops[0].govern.access.by_key(secrets[0]) is not None
    assert len(loops[0].govern.keys.all()) == len(_audit(loops[0])) == 1


def test_those_who_revoke_a_key_at_once_leave_one_trace(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(4)]
    loops[0].govern.keys.create("order desk", role=Role.OPERATOR, id="desk")
    start = Barrier(len(loops))

    def revoke(loop: heedful.Loop) -> Key:
        start.wait()
        return loop.govern.keys.revoke("desk")

    with ThreadPoolExecutor(len(loops)) as threads:
        assert len(set(threads.map(revoke, loops))) == 1
    assert [event.kind for event in _audit(loops[0])] == ["AUDIT_KEY_CREATED", "AUDIT_KEY_REVOKED"]


IMPOSSIBLE: list[tuple[type[HeedfulError], dict[str, Any]]] = [
    *((InvalidInput, {"role": role}) for role in ("boss", "Admin", "", None)),
    *((InvalidId, {"name": name}) for name in ("", " ", "a\nb", "x" * 201, "\udcff", None)),
    *((InvalidId, {"id": id}) for id in ("", 7, "x" * 201)),
    *((InvalidInput, {"rate_limit": limit}) for limit in (0, -1, 1.5, True, 2**63, "60")),
    *((InvalidInput, {"days": days}) for days in (0, -1, 1.5, True, 36_501, "90")),
]


def test_a_key_that_cannot_be_is_refused_with_a_hint(loop: heedful.Loop) -> None:
    for error, bad in IMPOSSIBLE:
        with pytest.raises(error) as refused:
            loop.govern.keys.create(**{"name": "order desk", "role": Role.OPERATOR, **bad})
        assert refused.value.hint, bad

    assert loop.govern.keys.all() == []
    assert _audit(loop) == []


def test_a_role_may_be_given_by_its_name(loop: heedful.Loop) -> None:
    by_name: Any = "operator"

    assert loop.govern.keys.create("order desk", role=by_name).role is Role.OPERATOR


def test_a_key_that_is_not_there_is_not_found(loop: heedful.Loop) -> None:
    for act in (loop.govern.keys.get, loop.govern.keys.revoke):
        with pytest.raises(NotFound, match="no key 'nope'"):
            act("nope")


# The audit trail


def test_the_trail_tells_who_made_and_revoked_which_key(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    loop.govern.keys.revoke(key.id)

    created, revoked = _audit(loop)
    about = {"name": "order desk", "role": "operator"}
    assert (created.kind, created.actor, created.entity) == ("AUDIT_KEY_CREATED", "local", ("key", key.id))
    assert (created.before, created.after) == ({}, {**about, "for_many": False})
    assert (revoked.kind, revoked.actor, revoked.entity) == ("AUDIT_KEY_REVOKED", "local", ("key", key.id))
    assert (revoked.before, revoked.after) == (about, {})


def test_the_trail_names_the_key_that_was_used(loop: heedful.Loop) -> None:
    boss = _caller(loop, Role.ADMIN, id="boss")
    with acting(boss):
        made = loop.govern.keys.create("order desk", role=Role.OPERATOR)
        loop.govern.keys.revoke(made.id)
    loop.govern.keys.create("afterwards", role=Role.VIEWER)

    assert [event.actor for event in _audit(loop)] == ["local", "key:boss", "key:boss", "local"]


def test_a_transaction_that_is_undone_leaves_neither_key_nor_trace(loop: heedful.Loop) -> None:
    made: list[Key] = []
    with pytest.raises(Undone), loop.transaction():
        made.append(loop.govern.keys.create("order desk", role=Role.OPERATOR))
        raise Undone

    assert loop.govern.access.by_key(_secret(made[0])) is None
    assert loop.govern.keys.all() == []
    assert list(loop.events()) == []


def test_a_revocation_that_is_undone_leaves_the_key_valid_and_no_trace(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    with pytest.raises(Undone), loop.transaction():
        loop.govern.keys.revoke(key.id)
        raise Undone

    assert loop.govern.access.by_key(_secret(key)) is not None
    assert [event.kind for event in _audit(loop)] == ["AUDIT_KEY_CREATED"]


def test_nobody_with_a_key_can_write_the_trail(loop: heedful.Loop) -> None:
    forged: dict[str, Any] = {"kind": "AUDIT_KEY_CREATED", "actor": "local"}
    with acting(_caller(loop, Role.ADMIN)):
        before = len(list(loop.events()))
        with pytest.raises(Forbidden, match="audit trail"):
            loop.capture.event(**forged)
        with pytest.raises(Forbidden, match="audit trail"):
            loop.capture.events([{"kind": "FIELD_SET"}, forged])
        answers = list(loop.capture.batch([forged, orjson.dumps(forged), {"kind": "FIELD_SET"}]))
        assert [type(answer) for answer in answers[:2]] == [Forbidden, Forbidden]
        assert [event.kind for event in loop.events()][before:] == ["FIELD_SET"]


def test_the_owner_of_the_process_can_write_the_trail(loop: heedful.Loop) -> None:
    loop.capture.event("AUDIT_KEY_CREATED", actor="import")

    assert [event.actor for event in _audit(loop)] == ["import"]


# Roles


def test_only_admins_have_to_do_with_keys(loop: heedful.Loop) -> None:
    acts: list[Callable[[], object]] = [
        lambda: loop.govern.keys.create("mine too", role=Role.ADMIN),
        loop.govern.keys.all,
        lambda: loop.govern.keys.get("admin"),
        lambda: loop.govern.keys.revoke("admin"),
    ]
    callers = [_caller(loop, role, id=role.value) for role in Role]
    boss, *others = callers
    for caller in others:
        for act in acts:
            with acting(caller), pytest.raises(Forbidden, match=f"role {caller.role.value} may not") as refused:
                act()
            assert "admin" in refused.value.hint
    assert [key.revoked_at for key in loop.govern.keys.all()] == [None] * len(Role)

    with acting(boss):
        for act in acts:
            act()
    assert loop.govern.keys.get("admin").revoked_at is not None


def test_a_viewer_looks_and_changes_nothing(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", id="x")
    with acting(_caller(loop, Role.VIEWER)):
        assert loop.event("x").kind == "FIELD_SET"
        with pytest.raises(Forbidden, match="may not record events"):
            loop.capture.event("FIELD_SET")
        with pytest.raises(Forbidden, match="may not create webhooks"):
            loop.govern.webhooks.create("https://example.com/")


def test_everyone_may_ask_who_they_are(loop: heedful.Loop) -> None:
    for role in Role:
        with acting(_caller(loop, role, id=role.value)):
            assert loop.govern.me() == Identity("acme", role, role.value, "order desk", Tier.ENTERPRISE)


def test_the_owner_of_the_process_is_an_admin_without_a_key(loop: heedful.Loop) -> None:
    assert loop.govern.me() == Identity("acme", Role.ADMIN, None, "local", Tier.ENTERPRISE)


# Other organisations


def test_keys_of_another_organisation_are_invisible(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR, id="desk")
    other = loop.org("globex")

    assert other.govern.keys.all() == []
    for act in (other.govern.keys.get, other.govern.keys.revoke):
        with pytest.raises(NotFound):
            act("desk")
    assert loop.govern.access.by_key(_secret(key)) is not None


def test_each_organisation_has_ids_of_its_own(loop: heedful.Loop) -> None:
    ours = _made(loop, id="desk")
    theirs = _made(loop.org("globex"), Role.ADMIN, id="desk")
    loop.govern.keys.revoke("desk")

    assert loop.govern.access.by_key(ours) is None
    found = loop.govern.access.by_key(theirs)  # the door is the same for all: the key tells the organisation
    assert found is not None
    assert (found.org, found.role) == ("globex", Role.ADMIN)


# Sign-in links


def test_a_link_signs_in_once(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    link = loop.govern.access.sign_in_link(key.id)

    assert loop.govern.access.use_link(link) == Caller("acme", Role.OPERATOR, key.id, "order desk")
    assert loop.govern.access.use_link(link) is None


def test_of_those_who_use_a_link_at_once_one_gets_in(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(6)]
    key = loops[0].govern.keys.create("order desk", role=Role.OPERATOR)
    link = loops[0].govern.access.sign_in_link(key.id)
    start = Barrier(len(loops))

    def use(loop: heedful.Loop) -> Caller | None:
        start.wait()
        return loop.govern.access.use_link(link)

    with ThreadPoolExecutor(len(loops)) as threads:
        assert sum(found is not None for found in threads.map(use, loops)) == 1


def test_a_link_is_good_for_a_quarter_of_an_hour(loop: heedful.Loop, clock: FrozenClock) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    early, late = (loop.govern.access.sign_in_link(key.id) for _ in range(2))

    clock.advance(minutes=14, seconds=59)
    assert loop.govern.access.use_link(early) is not None
    clock.advance(seconds=1)
    assert loop.govern.access.use_link(late) is None


def test_links_that_are_over_are_not_kept(loop: heedful.Loop, clock: FrozenClock) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    loop.govern.access.sign_in_link(key.id)
    clock.advance(minutes=15)
    loop.govern.access.sign_in_link(key.id)

    assert _table(loop, "sign_in").count(key.id) == 1


def test_a_link_ends_with_its_key(loop: heedful.Loop, clock: FrozenClock) -> None:
    revoked = loop.govern.keys.create("revoked", role=Role.OPERATOR)
    over = loop.govern.keys.create("over", role=Role.OPERATOR, days=1)
    clock.advance(hours=23, minutes=55)
    links = [loop.govern.access.sign_in_link(id) for id in (revoked.id, over.id, "never there")]
    loop.govern.keys.revoke(revoked.id)
    clock.advance(minutes=5)

    assert [loop.govern.access.use_link(link) for link in links] == [None, None, None]


def test_a_link_and_a_key_are_not_taken_for_each_other(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)
    link = loop.govern.access.sign_in_link(key.id)

    assert loop.govern.access.by_key(link) is None
    assert loop.govern.access.use_link(_secret(key)) is None
    assert loop.govern.access.use_link("") is None


def test_a_link_leads_to_keys_of_its_own_organisation_only(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role=Role.ADMIN)
    link = loop.org("globex").govern.access.sign_in_link(key.id)

    assert loop.govern.access.use_link(link) is None


# Sessions


def _cookie(loop: heedful.Loop) -> str:
    return loop.govern.access.begin(_caller(loop, Role.OPERATOR))[1]


def test_a_cookie_resumes_the_session_that_was_begun(loop: heedful.Loop) -> None:
    caller = _caller(loop, Role.OPERATOR)
    session, cookie = loop.govern.access.begin(caller)

    assert loop.govern.access.resume(cookie) == session
    assert loop.govern.access.by_session(session) == caller


def test_servers_of_one_database_know_each_others_sessions(open_loop: OpenLoop) -> None:
    cookie = _cookie(open_loop())

    assert open_loop(org="globex").govern.access.resume(cookie) is not None


def test_each_session_has_a_word_of_its_own_against_forged_requests(loop: heedful.Loop) -> None:
    caller = _caller(loop, Role.OPERATOR)
    first, second = (loop.govern.access.begin(caller)[0].csrf for _ in range(2))

    assert first != second
    assert len(first) >= 32


def test_a_cookie_with_any_letter_changed_resumes_nothing(loop: heedful.Loop) -> None:
    access, cookie = loop.govern.access, _cookie(loop)
    kept = len(cookie) - 1  # half of the very last letter carries nothing

    for place in range(kept):
        letter = "A" if cookie[place] != "A" else "B"
        assert access.resume(cookie[:place] + letter + cookie[place + 1 :]) is None, place


def test_a_cookie_that_is_cut_off_anywhere_resumes_nothing(loop: heedful.Loop) -> None:
    access, cookie = loop.govern.access, _cookie(loop)

    for length in range(len(cookie)):
        assert access.resume(cookie[:length]) is None, length


def test_a_cookie_cannot_be_given_another_content(loop: heedful.Loop) -> None:
    boss = loop.govern.keys.create("boss", role=Role.ADMIN)
    content, _, signature = _cookie(loop).partition(".")
    told = orjson.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4)))
    told[1] = boss.id
    forged = base64.urlsafe_b64encode(orjson.dumps(told)).decode().rstrip("=")

    for cookie in (f"{forged}.{signature}", f"{forged}.", forged):
        assert loop.govern.access.resume(cookie) is None


def test_nonsense_resumes_nothing(loop: heedful.Loop) -> None:
    for nonsense in ("", ".", "..", "a.b", "a.b.c", "é.é", "\udcff.x", "=.=", "AAAA.AAAA", "\x00"):
        assert loop.govern.access.resume(nonsense) is None, nonsense


def test_a_cookie_of_another_server_resumes_nothing(loop: heedful.Loop, tmp_path: Path, clock: FrozenClock) -> None:
    with heedful.open(tmp_path / "other.db", org="acme", clock=clock) as other:
        assert loop.govern.access.resume(_cookie(other)) is None


def test_a_session_is_over_after_a_week(loop: heedful.Loop, clock: FrozenClock) -> None:
    access = loop.govern.access
    session, _ = access.begin(_caller(loop, Role.OPERATOR))

    clock.advance(days=6, hours=23)
    assert access.by_session(session) is not None
    clock.advance(hours=1)
    assert access.by_session(session) is None


def test_a_session_ends_with_its_key(loop: heedful.Loop, clock: FrozenClock) -> None:
    access = loop.govern.access
    revoked = _caller(loop, Role.OPERATOR)
    over = _caller(loop, Role.OPERATOR, days=1)
    clock.advance(hours=23)
    sessions = [access.resume(access.begin(caller)[1]) for caller in (revoked, over)]
    loop.govern.keys.revoke(revoked.key)
    clock.advance(hours=1)

    for session in sessions:
        assert session is not None
        assert access.by_session(session) is None


# A clock that is set back


@pytest.mark.parametrize("noticed", ["at the door", "by another key", "by another link"])
def test_what_is_over_stays_over_when_the_clock_goes_back(loop: heedful.Loop, clock: FrozenClock, noticed: str) -> None:
    access = loop.govern.access
    other = loop.govern.keys.create("other", role=Role.ADMIN)
    key = loop.govern.keys.create("short", role=Role.ADMIN, days=1)
    link = access.sign_in_link(other.id)
    assert access.by_key(_secret(key)) is not None

    clock.advance(days=2)
    if noticed == "at the door":
        assert access.by_key(_secret(key)) is None
        assert access.use_link(link) is None
    elif noticed == "by another key":
        assert access.by_key(_secret(other)) is not None
    else:
        access.sign_in_link(other.id)
    clock.advance(days=-2)

    assert access.by_key(_secret(key)) is None
    assert access.by_id("acme", key.id) is None
    assert access.use_link(link) is None
    assert not loop.govern.keys.get(key.id).is_valid(clock())
    assert access.by_key(_secret(other)) is not None


def test_a_session_that_is_over_stays_over(loop: heedful.Loop, clock: FrozenClock) -> None:
    access = loop.govern.access
    session, _ = access.begin(_caller(loop, Role.OPERATOR))
    clock.advance(days=8)
    assert access.by_session(session) is None
    access.end(access.begin(_caller(loop, Role.OPERATOR))[0])  # which tidies up what ended long ago
    clock.advance(days=-8)

    assert access.by_session(session) is None


# The last admin


def test_the_last_admin_key_cannot_lock_everybody_out(loop: heedful.Loop, clock: FrozenClock) -> None:
    admin = _caller(loop, Role.ADMIN)
    over = _caller(loop, Role.ADMIN, days=1)
    _caller(loop, Role.OPERATOR)
    clock.advance(days=2)
    with acting(admin), pytest.raises(Conflict, match="last admin key") as refused:
        loop.govern.keys.revoke(admin.key)
    with acting(admin):
        loop.govern.keys.revoke(over.key)
        another = loop.govern.keys.create("another", role=Role.ADMIN)
        assert loop.govern.keys.revoke(admin.key).revoked_at is not None

    assert "Create another admin key first" in refused.value.hint
    assert loop.govern.keys.revoke(another.id).revoked_at is not None, "on the machine itself it can be done"


def test_the_last_permanent_admin_key_is_not_left_to_one_that_expires(loop: heedful.Loop) -> None:
    permanent, passing = _caller(loop, Role.ADMIN), _caller(loop, Role.ADMIN, days=1)
    with acting(permanent), pytest.raises(Conflict, match="last admin key that does not expire") as refused:
        loop.govern.keys.revoke(permanent.key)
    with acting(permanent):
        assert loop.govern.keys.revoke(passing.key).revoked_at is not None

    assert "Create another admin key without --days first" in refused.value.hint


def test_of_two_admins_who_revoke_each_other_at_once_one_stays(open_loop: OpenLoop) -> None:
    loops = [open_loop(), open_loop()]
    admins = [_caller(loops[0], Role.ADMIN) for _ in range(2)]
    begin = Barrier(2)

    def revoke(number: int) -> bool:
        begin.wait()
        try:
            with acting(admins[number]):
                loops[number].govern.keys.revoke(admins[1 - number].key)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(revoke, range(2))) == [False, True]
    assert sum(key.revoked_at is None for key in loops[0].govern.keys.all()) == 1


# What keys look like


def test_scanners_find_keys_by_the_documented_expression(loop: heedful.Loop) -> None:
    reference = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")
    (expression,) = re.findall(r"`(heedful_\([^`]+)`", reference)
    key = loop.govern.keys.create("k", role=Role.VIEWER)
    made = [_secret(key), loop.govern.access.sign_in_link(key.id)]

    for secret in made:
        text = f'config = {{"token": "{secret}"}}, or {secret}.'
        assert re.findall(expression, text) == [secret, secret]
        assert secret not in Sanitiser(lambda _: "0").clean(text)
    assert not re.search(expression, "heedful_key_ heedful_key_short heedful_link_")


def test_a_key_with_a_wrong_checksum_is_refused_without_a_question(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = loop.govern.access
    secret = _secret(loop.govern.keys.create("k", role=Role.VIEWER))
    link = access.sign_in_link("k")
    monkeypatch.setattr(loop.store.database, "read", lambda _: pytest.fail("the database was asked"))

    for place in range(len("heedful_key_"), len(secret)):
        wrong = secret[:place] + ("a" if secret[place] != "a" else "b") + secret[place + 1 :]
        assert access.by_key(wrong) is None
    assert access.use_link(link[:-1]) is None
    assert access.by_key(link) is None
