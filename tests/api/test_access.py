"""At the door: keys, browsers that signed in, and those who try too often."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest

from heedful.edges.server import Server
from heedful.operations import policy
from heedful.records.role import Role
from heedful.settings import Settings
from heedful.testing import FrozenClock
from heedful.wire import wires
from tests.serving import Served, serving


@pytest.fixture
def browser(served: Served) -> Iterator[httpx2.Client]:
    """A browser that followed the link which the server printed."""
    with httpx2.Client(base_url=served.url) as client:
        link = _link(served)
        answer = client.get("/sign-in", params={"token": link})
        assert answer.status_code == 303
        yield client


def _link(served: Served) -> str:
    return served.server.sign_in_link(served.server.ensure_admin_key().id)


def _csrf(browser: httpx2.Client) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', browser.get("/").text)
    assert found
    return found[1]


def test_a_revoked_key_opens_nothing_at_once(served: Served, admin: httpx2.Client) -> None:
    with served.client(Role.VIEWER) as viewer:
        assert viewer.get("/v1/me").status_code == 200
        (id,) = [key["id"] for key in admin.get("/v1/keys").json()["items"] if key["role"] == "viewer"]
        admin.delete(f"/v1/keys/{id}")

        assert viewer.get("/v1/me").status_code == 401


def test_a_key_made_over_http_works_and_is_shown_once(served: Served, admin: httpx2.Client) -> None:
    made = admin.post("/v1/keys", json={"name": "order desk", "role": "operator"}).json()
    again = admin.get(f"/v1/keys/{made['id']}").json()

    with httpx2.Client(base_url=served.url, headers={"authorization": f"Bearer {made['secret']}"}) as operator:
        me = operator.get("/v1/me").json()
    assert again["secret"] is None
    assert (me["org"], me["role"], me["name"]) == ("acme", "operator", "order desk")


def test_administrative_acts_name_the_key_that_did_them(admin: httpx2.Client) -> None:
    me = admin.get("/v1/me").json()
    admin.post("/v1/keys", json={"name": "desk", "role": "viewer"})

    newest = admin.get("/v1/events", params={"kind": "AUDIT_KEY_CREATED", "newest_first": "true"}).json()["items"][0]
    assert newest["actor"] == f"key:{me['key']}"
    refused = admin.post("/v1/events", json={"kind": "AUDIT_KEY_CREATED"})
    assert refused.status_code == 403


def test_the_printed_link_signs_a_browser_in_once(served: Served, browser: httpx2.Client) -> None:
    link = _link(served)
    with httpx2.Client(base_url=served.url) as first, httpx2.Client(base_url=served.url) as second:
        cookie = first.get("/sign-in", params={"token": link}).headers["set-cookie"]
        refused = second.get("/sign-in", params={"token": link})

    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie  # plain HTTP, on this machine
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers
    assert browser.get("/v1/me").json()["role"] == "admin"


def test_a_key_signs_a_browser_in_too(served: Served) -> None:
    with httpx2.Client(base_url=served.url) as client:
        wrong = client.post("/sign-in", data={"key": "heedful_key_wrong"})
        right = client.post("/sign-in", data={"key": served.key(Role.REVIEWER)})

        assert (wrong.status_code, right.status_code) == (401, 303)
        assert client.get("/v1/me").json()["role"] == "reviewer"
        assert "reviewer" in client.get("/").text


def test_a_form_of_another_site_signs_nobody_in(served: Served) -> None:
    with httpx2.Client(base_url=served.url) as client:
        answer = client.post("/sign-in", data={"key": served.key()}, headers={"Origin": "https://evil.example"})

    assert answer.status_code == 403


def test_what_a_browser_changes_needs_the_token_of_its_page(browser: httpx2.Client) -> None:
    act = {"kind": "FIELD_SET"}
    bare = browser.post("/v1/events", json=act)
    wrong = browser.post("/v1/events", json=act, headers={"X-CSRF-Token": "x" * 32})
    right = browser.post("/v1/events", json=act, headers={"X-CSRF-Token": _csrf(browser)})

    assert (bare.status_code, wrong.status_code, right.status_code) == (403, 403, 201)


def test_signing_out_ends_it_and_needs_the_token_as_well(browser: httpx2.Client) -> None:
    assert browser.post("/sign-out", data={"csrf": "wrong"}).status_code == 403
    assert browser.post("/sign-out", data={"csrf": _csrf(browser)}).status_code == 303
    assert browser.get("/v1/me").status_code == 401
    assert browser.get("/").headers["location"] == "/sign-in"


def test_a_session_ends_with_its_key(served: Served, browser: httpx2.Client) -> None:
    with served.client() as other:
        other.delete(f"/v1/keys/{browser.get('/v1/me').json()['key']}")

    assert browser.get("/v1/me").status_code == 401


def test_pages_cannot_be_framed_and_load_nothing_from_elsewhere(browser: httpx2.Client) -> None:
    answer = browser.get("/")

    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"
    assert "http://" not in answer.text.replace(str(browser.base_url), "").replace("http://127.0.0.1", "")


def test_whoever_tries_wrong_keys_waits_and_is_logged_and_others_are_not_held_up(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with httpx2.Client(base_url=served.url) as guesser:
        answers = [guesser.get("/v1/me", headers={"authorization": f"Bearer heedful_key_{n}"}) for n in range(12)]
        by_form = guesser.post("/sign-in", data={"key": served.key()})
        by_link = guesser.get("/sign-in", params={"token": _link(served)})

    assert {answer.status_code for answer in answers} == {401}
    assert "Too many wrong keys" in answers[-1].json()["detail"]
    assert (by_form.status_code, by_link.status_code) == (429, 429)
    failures = [record for record in caplog.records if record.message == "sign-in failed"]
    assert len(failures) == 12
    assert all(record.__dict__["address"] == "127.0.0.1" for record in failures)
    with served.client() as another:
        assert another.get("/v1/me").status_code == 200, "a good key is good wherever it comes from"


def test_a_cookie_of_a_session_that_was_signed_out_is_worth_nothing(browser: httpx2.Client) -> None:
    kept = dict(browser.cookies)
    browser.post("/sign-out", data={"csrf": _csrf(browser)})

    again = httpx2.get(f"{browser.base_url}/v1/me", headers={"cookie": f"heedful_session={kept['heedful_session']}"})
    assert again.status_code == 401


def test_hostile_cookies_are_no_work(served: Served) -> None:
    for cookie in ('heedful_session="' + '\\"' * 20_000 + '"', "a=b;" * 20_000, "heedful_session=" + "x" * 50_000):
        assert httpx2.get(f"{served.url}/v1/me", headers={"cookie": cookie}).status_code == 401


def test_a_preview_of_the_link_does_not_use_it_up(served: Served) -> None:
    link = _link(served)

    assert httpx2.head(f"{served.url}/sign-in", params={"token": link}).status_code == 200
    assert httpx2.get(f"{served.url}/sign-in", params={"token": link}).status_code == 303


@pytest.mark.parametrize("role", Role)
def test_the_audit_trail_is_for_admins(served: Served, admin: httpx2.Client, role: Role) -> None:
    url = "https://hooks.example.com/services/SECRET"
    made = admin.post("/v1/webhooks", json={"url": url}).json()
    (told,) = admin.get("/v1/events", params={"kind": "AUDIT_WEBHOOK_CREATED"}).json()["items"]
    admin.post(f"/v1/webhooks/{made['id']}/replay")

    assert told["after"] == {"host": "hooks.example.com"}
    assert admin.get("/v1/events", params={"kind": "AUDIT_WEBHOOK_REPLAYED"}).json()["items"]
    with served.client(role) as client:
        seen = [event["kind"] for event in client.get("/v1/events").json()["items"]]
        assert any(kind.startswith("AUDIT_") for kind in seen) == (role is Role.ADMIN)
        assert client.get(f"/v1/events/{told['id']}").status_code == (200 if role is Role.ADMIN else 404)
        asked = client.post("/v1/webhooks", json={"url": url, "kinds": ["AUDIT_KEY_CREATED"]})
        assert asked.status_code == (201 if role is Role.ADMIN else 403)


def test_a_key_has_a_limit_of_requests(database: str) -> None:
    with serving(Server(Settings(database=database, org="acme", rate_limit=100), worker=False)) as served:
        with served.client() as client:
            answers = [client.get("/v1/me") for _ in range(12)]
        slow = served.key(rate_limit=10)
        with httpx2.Client(base_url=served.url, headers={"authorization": f"Bearer {slow}"}) as client:
            assert [client.get("/v1/me").status_code for _ in range(2)] == [200, 429]

    assert [answer.status_code for answer in answers].count(200) == 10
    assert answers[-1].json()["code"] == "too_many_requests"
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_keys_and_sessions_end_in_time(database: str, clock: FrozenClock) -> None:
    settings = Settings(database=database, org="acme", rate_limit=0)
    with serving(Server(settings, worker=False, clock=clock)) as served:
        link = _link(served)
        clock.advance(minutes=16)
        with httpx2.Client(base_url=served.url) as browser:
            assert browser.get("/sign-in", params={"token": link}).status_code == 401
            assert browser.get("/sign-in", params={"token": _link(served)}).status_code == 303
            assert browser.get("/v1/me").status_code == 200
            clock.advance(days=8)
            assert browser.get("/v1/me").status_code == 401


def test_a_gated_feature_gives_402_and_the_rest_goes_on(served: Served, admin: httpx2.Client) -> None:
    served.loop.org("acme").govern.set_tier("free")
    gated = admin.post("/v1/webhooks", json={"url": "https://example.com/"})

    assert (gated.status_code, gated.json()["code"]) == (402, "licence_required")
    assert admin.post("/v1/events", json={"kind": "FIELD_SET"}).status_code == 201
    assert admin.get("/v1/me").json()["tier"] == "free"


def test_the_first_start_makes_an_admin_key_and_later_ones_do_not(served: Served) -> None:
    first, second = served.server.ensure_admin_key(), served.server.ensure_admin_key()

    assert first.secret is not None
    assert second.secret is None
    assert first.id == second.id


def test_keys_of_two_organisations_with_the_same_id_have_limits_of_their_own(served: Served) -> None:
    keys = [served.key(org=org, id="same", rate_limit=10) for org in ("acme", "globex")]

    for key in keys:
        assert httpx2.get(f"{served.url}/v1/me", headers={"authorization": f"Bearer {key}"}).status_code == 200


def test_a_form_may_not_be_large(served: Served) -> None:
    assert httpx2.post(f"{served.url}/sign-in", data={"key": "x" * 100_000}).status_code == 413


def test_behind_a_proxy_that_is_trusted_the_browser_counts(database: str) -> None:
    server = Server(Settings(database=database, org="acme", rate_limit=0), worker=False)
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9", "Origin": "https://127.0.0.1"}
    with serving(server, proxies=["127.0.0.1"]) as served:
        headers = {**told, "Host": "127.0.0.1"}
        answer = httpx2.post(f"{served.url}/sign-in", data={"key": served.key()}, headers=headers)
        for number in range(12):
            httpx2.get(f"{served.url}/v1/me", headers={**told, "authorization": f"Bearer {number}"})
        elsewhere = httpx2.get(f"{served.url}/v1/me", headers={"authorization": f"Bearer {served.key()}"})

    assert answer.status_code == 303
    assert "Secure" in answer.headers["set-cookie"]
    assert elsewhere.status_code == 200, "only the address that guessed is not listened to"


def test_what_a_role_may_not_list_it_may_not_count(served: Served, admin: httpx2.Client) -> None:
    """The audit trail, through everything there is to be read."""
    admin.post("/v1/events", json={"kind": "FIELD_SET", "id": "order-4711-line-2"})
    admin.delete(f"/v1/keys/{admin.post('/v1/keys', json={'name': 'k', 'role': 'viewer'}).json()['id']}")
    seen = []
    for role in Role:
        with served.client(role) as client:
            for wire in wires():
                if wire.operation.verb == "GET":
                    example = dict(wire.operation.example)
                    path = wire.operation.path.format(**{p.name: example.pop(p.name, "x") for p in wire.in_path})
                    wide = {name: value for name, value in example.items() if name in ("query", "task", "by")}
                    answer = client.get(f"/v1{path}", params=wide)
                    assert answer.status_code < 500
                    seen += [role] if "AUDIT_" in answer.text else []

    assert seen
    assert set(seen) == set(policy.AuditPolicy.read.roles)
