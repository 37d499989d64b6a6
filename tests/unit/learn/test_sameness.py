"""Whether two learnings say the same, the contrary, or something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learnings.dedupe import Statement, compared
from heedful.learnings.kind import Relation
from heedful.learnings.kinds.insight import INSIGHT, InsightWording
from heedful.providers.embedder import LocalEmbedder
from heedful.text.canonical import canonical
from heedful.text.contradictions import ContrastKind, contrast
from heedful.text.fingerprints import bands, distance, simhash
from tests.effort import at_most
from tests.scoring import scored

PAIRS = json.loads(Path(__file__).with_name("statements.json").read_text(encoding="utf-8"))
MASK = (1 << 64) - 1

SUBJECTS = ("the upload worker", "our billing service", "the login page", "every nightly job")
VERBS = ("caches", "retries", "logs", "validates")
OBJECTS = ("failed requests", "large invoices", "expired sessions", "broken images")
WORDS = st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(VERBS), st.sampled_from(OBJECTS))
TEXTS = st.text(max_size=200) | st.sampled_from(
    ["Use tabs.", "Do not use tabs.", "Wait 5 s.", "Wait 7 s.", "prefer a over b", "", "…", "[EMAIL_1]", "1. a 2. b"]
)


def said(content: str, title: str = "", category: str = "best_practice") -> Statement:
    return Statement(category, title, content)


# Real shapes


def test_learnings_of_one_project_are_told_apart() -> None:
    embedder = LocalEmbedder()
    wrong: list[tuple[str, str]] = []
    for pair in PAIRS:
        one, other = Statement(**pair["one"]), Statement(**pair["other"])
        first, second = embedder.embed([one.text, other.text])
        verdict = compared(one, other, float(first @ second))
        if verdict.relation.value != pair["relation"]:
            wrong.append((pair["relation"], verdict.relation.value))

    assert len(PAIRS) >= 60
    assert ("contrary", "same") not in wrong
    assert ("same", "contrary") not in wrong
    assert len(wrong) <= 7  # a synonym may be an opposite, so one other word keeps two apart


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Always read settings from environment variables, never from files",
            "No. Always read settings from `settings.toml`, never from environment variables. We changed our mind.",
        ),
        ("Always deploy with `make ship`", "Never deploy with `make ship` anymore, we use `make release` now"),
        ("Send mails through Sendgrid, never through Mailgun", "Send mails through Postmark, never through Sendgrid"),
        ("Always deploy with make ship", "From now on always deploy with make release"),
        ("Always run the tests with npm test", "Run the tests with `npm run test:ci`"),
        ("Always lint with make lint before you commit", "Always lint with make check before you commit"),
        ("Run migrations using bin/migrate", "Run migrations using bin/db-upgrade"),
        ("Use make ship to deploy", "Use make release to deploy"),
    ],
)
def test_who_changes_their_mind_contradicts_what_they_said_before(old: str, new: str) -> None:
    found = contrast(new, old)
    assert found is not None
    assert found.sure


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always read settings from environment variables, never from files", "Never read secrets from environment"),
        ("Send mails through Sendgrid, never through Mailgun", "Send invoices by post, never through Sendgrid"),
        ("Always deploy with `make ship`", "Never deploy on Fridays, we like our weekends"),
        ("Always run make lint before you commit", "Always run make test before you commit"),
        ("Run the tests with --slow", "Run the tests with --verbose"),
        ("Document every public function", "Document every public class"),
    ],
)
def test_who_speaks_of_something_else_contradicts_nothing(old: str, new: str) -> None:
    found = contrast(new, old)
    assert found is None or not found.sure


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never commit to main", "Never commit to develop"),
        ("Don't deploy on Fridays", "Don't deploy on Mondays"),
        ("Never deploy on port 8080", "Never deploy on port 9090"),
        ("Avoid unittest in new tests", "Avoid nose in new tests"),
        ("No npm in this repo", "No yarn in this repo"),
        ("Never deploy with make ship", "Never deploy with make release"),
        ("Never edit files in gen/", "Never edit files in vendor/"),
    ],
)
def test_two_bans_get_along_and_are_not_the_same(one: str, other: str) -> None:
    for cosine in (0.99, None):
        assert compared(said(one, title=one), said(other, title=other), cosine).relation is Relation.DIFFERENT


def test_two_limits_do_not_get_along() -> None:
    found = contrast("Never retry more than 3 times", "Never retry more than 5 times")
    assert found is not None
    assert found.sure


def test_what_differs_in_a_command_or_a_word_is_not_the_same_however_often_it_is_repeated() -> None:
    for one, other in (
        ("Run `make lint` before commits", "Run `make types` before commits"),
        ("Round up", "Round down"),
    ):
        old, new = said(f"From now on {one.lower()}.", title=one), said(f"Please {other.lower()}.", title=other)
        assert compared(new, old, 0.99).relation is not Relation.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We don't mock the database in tests, ever", "Never mock the database in tests"),
        ("Please don't mock the database in tests", "Never mock the database in tests"),
        ("Never force push", "Never force-push to any branch"),
        ("Always use absolute imports in this repo", "Use absolute imports, not relative ones"),
        ("Never commit secrets", "Don't ever commit secrets to the repo"),
    ],
)
def test_the_same_with_other_words_around_it_is_the_same(one: str, other: str) -> None:
    new, old = said(f"{one}.", title=one), said(f"no, {other}. Use the real one.", title=other)
    for cosine in (0.8, None):
        assert compared(new, old, cosine).relation is Relation.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always write migrations by hand, the generator drops our indexes", "Write migrations by hand, always"),
        ("Migrations are written by hand here, not generated", "Write the migrations by hand, every time"),
        ("Never push to main", "Never push to main! Work on a branch and open a PR"),
        ("The files in gen/ are generated, do not edit them", "Do not edit the generated files in gen/"),
        ("Schreib Fehlermeldungen immer auf Englisch", "Fehlermeldungen schreiben wir immer auf Englisch"),
        ("Never quote a price by phone, they hold us to it", "No price is ever quoted by phone"),
        ("Never commit directly to main", "Please don't commit straight to main"),
    ],
)
def test_a_rule_is_the_same_with_a_reason_in_another_order_and_in_other_forms(one: str, other: str) -> None:
    for cosine in (0.7, None):
        assert compared(said(f"{one}.", title=one), said(f"{other}.", title=other), cosine).relation is Relation.SAME
        assert compared(said(f"{other}.", title=other), said(f"{one}.", title=one), cosine).relation is Relation.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs for the build files", "Use tabs for the build files, unless they are YAML"),
        ("Answer in German", "Answer in German, aber nur den Kunden"),
        ("Never deploy on Fridays", "Never deploy. Only Dana may, on Fridays."),
        ("Copy the users from staging to production", "Copy the users from production to staging"),
        ("Run the linter before the tests", "Run the tests before the linter"),
        ("Erst das Dach vor dem Keller lüften", "Erst den Keller vor dem Dach lüften"),
    ],
)
def test_what_limits_a_rule_or_turns_it_round_makes_another_one(one: str, other: str) -> None:
    for cosine in (0.84, None):
        assert (
            compared(said(f"{one}.", title=one), said(f"{other}.", title=other), cosine).relation is not Relation.SAME
        )


def _finding(cause: str, fix: str) -> InsightWording:
    return InsightWording(f"Fixed: {cause}", {"what": cause, "fix": fix})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            _finding("nginx cut bodies at `client_max_body_size`, 1 MB by default", "I set it to 20m in nginx.conf."),
            _finding("nginx refused the receipt since `client_max_body_size` was only 1m", "Raised it for the till."),
            True,
        ),
        (
            _finding("Die Spalte fehlte, weil `read_csv` das BOM der Datei behält", "Ich lese mit utf-8-sig."),
            _finding("Import leer, weil `read_csv` das BOM am Anfang der Datei behält", "Jetzt mit anderer Kodierung."),
            True,
        ),
        (
            _finding("The query was slow because `orders.customer_id` had no index", "I added an index."),
            _finding("The query was slow because `orders.created_at` had no index", "I added an index."),
            False,
        ),
        (
            _finding("nginx cut bodies at `client_max_body_size`", "I set it to 20m."),
            _finding("nginx cut long downloads at `proxy_read_timeout`", "I set it to 300s."),
            False,
        ),
    ],
)
def test_two_bugs_seem_to_have_one_cause_whatever_it_broke(
    one: InsightWording, other: InsightWording, same: bool
) -> None:
    assert INSIGHT.have_one_cause(one, other, ("bug_fix", "bug_fix"), 0.8) is same
    assert not INSIGHT.have_one_cause(one, other, ("bug_fix", "workflow"), 0.8)
    assert not INSIGHT.have_one_cause(one, other, ("bug_fix", "bug_fix"), 0.5)


def test_a_ban_of_more_is_not_the_same_as_a_ban_of_less() -> None:
    less = said("Never push to main on Fridays.", title="Never push to main on Fridays")
    assert compared(less, said("Never push to main.", title="Never push to main"), None).relation is Relation.DIFFERENT


def test_without_vectors_nothing_contrary_or_different_is_merged() -> None:
    for pair in PAIRS:
        verdict = compared(Statement(**pair["one"]), Statement(**pair["other"]), None)
        assert pair["relation"] == "same" or verdict.relation is not Relation.SAME, pair["one"]["title"]


# Contrast


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The retry limit is 3.", "The retry limit is 5.", ContrastKind.VALUE),
        ("Pin the client to v1.2.", "Pin the client to v1.3.", ContrastKind.VALUE),
        ("Wait 30 s before a retry.", "Wait a minute before a retry.", ContrastKind.VALUE),
        ("Python 3.10 is required.", "Python 3.1 is required.", ContrastKind.VALUE),
        ("Use 2-space indentation.", "Use four-space indentation.", ContrastKind.VALUE),
        ("Indent with 2 spaces.", "Indent with tabs.", ContrastKind.CHOICE),
        ("Use Postgres for the jobs table.", "Use MySQL for the jobs table.", ContrastKind.CHOICE),
        ("Use camelCase for variables.", "Use snake_case for variables.", ContrastKind.CHOICE),
        ("The default theme is sand.", "The default theme is slate.", ContrastKind.CHOICE),
        ("Run lint before tests.", "Run lint after tests.", ContrastKind.CHOICE),
        ("Use mocks in tests.", "Do not use mocks in tests.", ContrastKind.POLARITY),
        ("Use mocks in tests.", "Don’t use mocks in tests.", ContrastKind.POLARITY),
        ("Always squash commits.", "Never squash commits.", ContrastKind.POLARITY),
        ("Avoid global state.", "Use global state.", ContrastKind.POLARITY),
        ("Prefer composition over inheritance.", "Prefer inheritance over composition.", ContrastKind.POLARITY),
        ("Use tabs, not spaces.", "Use spaces, not tabs.", ContrastKind.POLARITY),
        ("Enable caching in CI.", "Disable caching in CI.", ContrastKind.POLARITY),
        ("Ship the build with symbols.", "Ship the build without symbols.", ContrastKind.POLARITY),
        ("Speichere Passwörter im Klartext.", "Speichere Passwörter nicht im Klartext.", ContrastKind.POLARITY),
        ("Utilise des tabs ici.", "N'utilise pas de tabs ici.", ContrastKind.POLARITY),
        ("Usa mocks en pruebas.", "No uses mocks en pruebas.", ContrastKind.POLARITY),
        ("Use mocks nos testes.", "Não use mocks nos testes.", ContrastKind.POLARITY),
    ],
)
def test_another_value_choice_or_a_no_is_a_contrast(one: str, other: str, kind: ContrastKind) -> None:
    found = contrast(one, other)

    assert found is not None
    assert found.sure
    assert found.kind is kind


@scored("sameness/other_words", at_least=0.9)
def test_the_same_in_other_words_is_none(one: str, other: str) -> None:
    assert contrast(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Calls to the tax service time out after 10 s.", "Calls to the mail service time out after 60 s."),
        ("Create the pool at start, never inside a handler.", "Never create the pool inside a handler."),
        ("Use camelCase for hooks.", "Use PascalCase for classes."),
        ("Cap it at 2 shelves.", "Cap it at 4 drawers."),
        ("Write down step 1 of the plan.", "Write down step 2 of the plan."),
        ("Close sockets when no longer needed.", "Do not open sockets without closing them."),
    ],
)
def test_what_may_be_about_something_else_is_no_contradiction(one: str, other: str) -> None:
    found = contrast(one, other)

    assert found is None or not found.sure


def test_the_reason_is_a_sentence() -> None:
    assert compared(said("The retry limit for uploads is 3."), said("The retry limit for uploads is 5."), 0.95)[3] == (
        "They differ in a value: 3 / 5."
    )


# Invariants


@given(one=TEXTS, other=TEXTS, cosine=st.none() | st.floats(-1, 1))
def test_either_way_round_the_answer_is_the_same(one: str, other: str, cosine: float | None) -> None:
    there, back = compared(said(one), said(other), cosine), compared(said(other), said(one), cosine)

    assert there[:3] == back[:3]


@given(text=TEXTS)
def test_case_and_spaces_make_no_other_learning(text: str) -> None:
    words = text.split()
    spaced = "\n ".join(words)

    assert compared(said(" ".join(words)), said(spaced), None).relation is Relation.SAME
    if text.isascii():
        assert compared(said(text), said(text.upper()), None).relation is Relation.SAME


@given(words=WORDS, other=WORDS, no=st.sampled_from(["never", "does not", "doesn't", "no longer"]))
def test_a_no_more_is_never_the_same(words: tuple[str, str, str], other: tuple[str, str, str], no: str) -> None:
    rest = " ".join(other) if other != words else "nothing else"
    plain = said(f"{' '.join(words)}. {rest}.")
    denied = said(f"{words[0]} {no} {words[1]} {words[2]}. {rest}.")

    assert compared(denied, plain, 0.99).relation is not Relation.SAME
    assert compared(denied, plain, None).relation is not Relation.SAME


@given(
    words=WORDS, one=st.integers(2, 10_000), other=st.integers(2, 10_000), unit=st.sampled_from(["s", "MB", "", "%"])
)
def test_another_number_is_never_the_same(words: tuple[str, str, str], one: int, other: int, unit: str) -> None:
    new, old = (said(f"{' '.join(words)} up to {number} {unit}".strip() + ".") for number in (one, other))

    for cosine in (0.99, None):
        assert (compared(new, old, cosine).relation is Relation.SAME) == (one == other)


def test_a_warning_without_a_no_is_not_merged_with_advice() -> None:
    warning = said("Global state in request handlers of the billing service.", category="anti_pattern")
    advice = said("Global state in all request handlers of the billing service.")

    assert compared(warning, advice, 0.97).relation is Relation.DIFFERENT
    assert compared(warning, said("Global state in request handlers of the billing service."), 1.0).relation is (
        Relation.SAME
    )


# The canonical text


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Seen on 2024-01-02 in #12.", "seen  on 2025-12-31 in #9", False),
        ("Seen on 2024-01-02 in #12.", "seen  on 2025-12-31\nin #9.", True),
        ("See https://a.example/x?token=1&b=2 first", "see https://a.example/x?token=9 first", True),
        ("See https://a.example/x?a#part", "see https://a.example/x?b#other", False),
        ("Why? because of retries", "Why? because of caches", False),
        ("Why?because of retries", "Why?because of caches", False),
        ("retry 3", "retry 5", False),
        ("colour #333", "colour #666", False),
        ("call [PHONE_1]", "call [PHONE_7]", True),
        ("call [PHONE:3f2a]", "call [PHONE:90bc]", True),
        ("call [PHONE:3f2a]", "call [EMAIL:3f2a]", False),
    ],
)
def test_the_canonical_text_forgets_only_what_changes_by_itself(one: str, other: str, equal: bool) -> None:
    assert (canonical("pattern", "", one) == canonical("pattern", "", other)) is equal


def test_the_topic_is_part_of_the_canonical_text() -> None:
    assert canonical("pattern", "A", "b") != canonical("workflow", "A", "b")
    assert len(canonical("pattern", "A", "b")) == 64


# Fingerprints


@given(value=st.integers(-(1 << 63), (1 << 63) - 1), flipped=st.sets(st.integers(0, 63), max_size=2))
def test_two_bits_apart_a_band_is_shared(value: int, flipped: set[int]) -> None:
    other = value & MASK
    for bit in flipped:
        other ^= 1 << bit

    assert distance(value, other) == len(flipped)
    assert any(one == two for one, two in zip(bands(value), bands(other), strict=True))
    assert all(0 <= band < 1 << 22 for band in bands(value))


@given(text=TEXTS)
def test_a_fingerprint_fits_a_database(text: str) -> None:
    assert -(1 << 63) <= simhash(text) < 1 << 63


def test_a_fingerprint_is_the_same_everywhere_and_near_for_near_texts() -> None:
    text = "Keep jobs in the outbox table, because a worker that dies between two writes loses events. " * 4

    assert simhash("Use tabs in makefiles.") == simhash("use tabs in  makefiles")
    assert distance(simhash(text), simhash(text + "Always.")) < distance(simhash(text), simhash("Another text."))


# Odd texts


def test_odd_texts_take_no_time() -> None:
    with at_most(10):
        for odd in (
            "a",
            "a-",
            "'",
            "1.",
            "\u0301",
            "not ",
            "字",
            "7 ",
            "\ud800",
            "\x00",
            "1. ",
            "a. ",
            "[A",
            "#1 ",
            "x:// ",
            "?",
        ):
            text = odd * (200_000 // len(odd))
            compared(said(text), said(text + " 7"), 0.9)
            compared(said(text), said("not " + text), None)
            canonical("pattern", text, text)


def test_a_score_of_candidates_is_compared_in_a_moment() -> None:
    new = said(" ".join(f"Use the outbox of shop {n} since a worker that dies loses {n} events." for n in range(30)))
    old = [
        said(" ".join(f"Never use the outbox of shop {n} for mails, since a worker dies." for n in range(at, at + 30)))
        for at in range(20)
    ]
    with at_most(2):
        for one in old:
            compared(new, one, 0.9)
