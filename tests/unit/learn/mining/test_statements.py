"""What people said is learned; what an agent stated only if they accepted it, or if tests proved it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.learn.conversations.pipeline import Case, run
from heedful.learn.conversations.statements import read
from heedful.learn.conversations.turns import turns
from heedful.learn.conversations.verdicts import BAR, Verdicts, confidence
from heedful.learn.conversations.wording import content, titled
from heedful.providers.correction_reader import LocalReader
from heedful.records.insight import InsightCategory
from heedful.records.mining import MiningOutcome
from heedful.records.reading import (
    Answer,
    Bearing,
    Exchange,
    LikelyStatement,
    MessageAct,
    MessageReading,
    Pointing,
    Reading,
    StatementKind,
)
from heedful.records.transcript import Message, Source, Speaker, ToolCall, Transcript
from heedful.text.lasting import Lasting
from heedful.text.prose import prose
from tests.unit.learn.mining.talks import talk

FINDING = "The upload fails because `chunker.py` closes the stream before the last part is written."
FIX = "It is closed after the last part now."
MENDED = f"{FINDING} {FIX}"
OVER = f"Fixed: {FINDING.rstrip('.')}"
EDIT = ToolCall("Edit", "src/upload/chunker.py")
TEST = ToolCall("Bash", "pytest tests/test_chunker.py")


class ToldReader(LocalReader):
    """Reads what a test tells it: sentences with these words state something; these messages refuse or accept."""

    def __init__(self, *words: str, chance: float = 0.98, alone: float = 0.9, always: float = 0.0) -> None:
        super().__init__()
        self._words, self._chance, self._alone, self._always = words, chance, alone, always

    def read(self, exchange: Exchange) -> Reading:
        act = MessageAct.SELF if exchange.message.startswith("Sorry") else MessageAct.CORRECTION
        nowhere = Pointing({}, {}, 1.0)
        return Reading(act, 1.0, self._always, 0.0, "", nowhere, nowhere, nowhere, lambda *_: 0.0)

    def message(self, text: str, before: str) -> MessageReading:  # noqa: ARG002
        refused, accepted = float(text.startswith("No,")), float(text.startswith("Thanks"))
        stated = self._stated(text, prose(text))
        if text.startswith(("Sorry", "not ")):
            silent = LikelyStatement(
                0, len(text), (0, len(text)), StatementKind.FACT, 0.0, self._alone, InsightCategory.PATTERN, ends=1.0
            )
            stated = (*stated, silent)
        return MessageReading(stated, Answer.GOES_ON, refused, accepted)

    def bearing(self, message: str, remembered: str) -> dict[Bearing, float]:  # noqa: ARG002
        return {Bearing.ENDS: float("not " not in remembered), Bearing.SAME: 0.0, Bearing.STAYS: 0.0}

    def findings(self, text: str, sentences: object, task: str) -> tuple[LikelyStatement, ...]:  # noqa: ARG002
        return self._stated(text, sentences)

    def _stated(self, text: str, sentences: object) -> tuple[LikelyStatement, ...]:
        return tuple(
            LikelyStatement(
                start, end, (start, end), StatementKind.FACT, self._chance, self._alone, InsightCategory.PATTERN
            )
            for start, end in sentences  # type: ignore[attr-defined]
            if any(words in text[start:end] for words in self._words)
        )


class HalfReader(ToldReader):
    """Is sure of a first sentence only."""

    def message(self, text: str, before: str) -> MessageReading:
        heard = super().message(text, before)
        return replace(
            heard, statements=tuple(replace(one, chance=0.9 / (1 + at * 4)) for at, one in enumerate(heard.statements))
        )


def worked(said: str, *tools: ToolCall, printed: str = "1 passed", then: str | None = None) -> Transcript:
    messages = [Message("ask", Speaker.USER, "The upload in src/upload/chunker.py breaks, please look into it.")]
    for number, tool in enumerate(tools):
        messages.append(Message(f"call{number}", Speaker.ASSISTANT, "", tools=(tool,)))
        messages.append(Message(f"ran{number}", Speaker.TOOL, printed))
    messages.append(Message("report", Speaker.ASSISTANT, said))
    if then is not None:
        messages.append(Message("then", Speaker.USER, then))
    return talk(*messages)


def found(transcript: Transcript) -> list[str]:
    return [one.candidate.title for one in read(transcript, ToldReader("`chunker.py`"), BAR).found]


@pytest.mark.parametrize(
    "session",
    [
        worked(MENDED, EDIT, then="Thanks, that was it."),
        worked(MENDED, EDIT, TEST),
        worked(MENDED, EDIT, TEST, then="Now the download, please."),
    ],
)
def test_what_a_person_accepts_or_a_test_proves_is_learned(session: Transcript) -> None:
    assert found(session) == [OVER]


def test_what_nobody_changed_still_holds() -> None:
    assert found(worked(FINDING, TEST, then="Thanks, that was it.")) == [FINDING.rstrip(".")]
    other = ToolCall("Edit", "docs/uploads.md")
    assert found(worked(FINDING, other, TEST, then="Thanks, that was it.")) == [FINDING.rstrip(".")]


def test_a_cause_that_was_mended_is_kept_with_what_was_done() -> None:
    session = worked(MENDED, EDIT, TEST, then="Thanks, that was it.")
    (kept,) = read(session, ToldReader("`chunker.py`"), BAR).found
    assert kept.candidate.title == OVER
    assert (kept.candidate.content["what"], kept.candidate.content["fix"]) == (FINDING, FIX)
    assert kept.candidate.category is InsightCategory.BUG_FIX
    assert [quote.text for quote in kept.candidate.quotes] == [FINDING, FIX]


def test_a_cause_that_was_mended_is_not_told_as_if_it_still_held() -> None:
    assert found(worked(FINDING, EDIT, TEST, then="Thanks, that was it.")) == []


@pytest.mark.parametrize(
    "session",
    [
        worked(FINDING, EDIT, then="No, the stream is fine, look again."),
        worked(FINDING, EDIT, TEST, then="No, undo that."),
        worked(FINDING, EDIT, then="Now the download, please."),
        worked(FINDING, EDIT),
        worked(FINDING, EDIT, TEST, printed="1 failed, 3 passed"),
        worked(FINDING, TEST, EDIT),
        worked("The upload fails because every stream must be closed once.", EDIT, TEST),
    ],
    ids=["refused", "proved but refused", "ignored", "unanswered", "test failed", "changed after the test", "textbook"],
)
def test_what_nobody_accepted_and_nothing_proved_is_not_learned(session: Transcript) -> None:
    assert found(session) == []


def test_a_cause_told_before_the_tests_ran_is_learned() -> None:
    session = worked(FINDING, EDIT, TEST)
    *work, report = session.messages
    end = "All 112 tests pass now. I moved the close() behind the last part."
    told = talk(work[0], report, *work[1:], Message("end", Speaker.ASSISTANT, end))
    assert found(told) == [OVER]


SLOW = "nightly.py takes 40 minutes since last week, please find out why and fix it"


def learned_of(asked: str, report: str, answer: str = "Yes! exactly. that's it, merge it") -> list[str]:
    messages = [Message("ask", Speaker.USER, asked)]
    for number, tool in enumerate((ToolCall("Edit", "jobs/nightly.py"), ToolCall("Bash", "pytest -q"))):
        messages.append(Message(f"call{number}", Speaker.ASSISTANT, "", tools=(tool,)))
        messages.append(Message(f"ran{number}", Speaker.TOOL, "12 passed in 1.3s"))
    told = (Message("report", Speaker.ASSISTANT, report), Message("then", Speaker.USER, answer))
    return [one.candidate.title for one in run(Case(talk(*messages, *told), LocalReader())).insights if one.kept]


@pytest.mark.parametrize(
    "report",
    [
        "nightly.py is slow because load_customer() opens a new connection each time. Moving the pool out fixed it.",
        "nightly.py was slow because load_customer() opened a new connection each time. I moved the pool out.",
        "The cause was load_customer() in nightly.py: it opened a connection per row. Moving the pool out fixes it.",
        "nightly.py was slow due to load_customer() opening a connection per row. I moved the pool out of it.",
        "load_customer() opened a connection per row, which made nightly.py slow. I fixed it by moving the pool out.",
        "Found it: load_customer() in nightly.py opened a connection per row. The pool is now created only once.",
        "nightly.py took so long since load_customer() opened a connection per row. Fixed by moving the pool out.",
        "The problem: load_customer() opens a connection per row in nightly.py. Now the pool is created only once.",
        "The culprit is load_customer(), it opens a connection for each row. I moved the pool out in nightly.py.",
        "Each call of load_customer() in nightly.py connected anew. That is why it is slow. The pool is shared now.",
        "nightly.py war langsam, weil load_customer() je Zeile eine Verbindung öffnete. Ich habe den Pool ausgelagert.",
    ],
)
def test_how_a_cause_is_put_does_not_decide_whether_it_is_learned(report: str) -> None:
    (title,) = learned_of(SLOW, report)
    assert title.startswith("Fixed: ")
    assert learned_of(SLOW, report, "no, that is not it, look again") == []


@pytest.mark.parametrize(
    ("asked", "report"),
    [
        ("Add a --dry-run flag to nightly.py please", "It walks the same code in nightly.py, so both stay in sync."),
        ("Add a --dry-run flag to nightly.py please", "I kept main() in nightly.py because two scripts import it."),
        (SLOW, "I moved the pool of nightly.py to module level. All tests pass now."),
    ],
)
def test_how_a_new_thing_was_made_is_no_cause(asked: str, report: str) -> None:
    assert learned_of(asked, f"{report} I added a test, too.") == []


def test_a_talk_in_which_work_was_proved_and_accepted_is_read_however_short() -> None:
    session = worked("Done, see `chunker.py`.", EDIT, TEST, then="Thanks!")
    assert run(Case(session, ToldReader("nothing"))).outcome is MiningOutcome.NOTHING_FOUND


def test_the_plain_case_is_kept_by_the_reader_that_is_built_in() -> None:
    cause = (
        "`test_login` fails because `SessionStore` in `auth/store.py` keeps the expiry in local time while the test "
        "clock is UTC. The fix is to use `utcnow()` in `SessionStore.save`."
    )
    asked = Message("ask", Speaker.USER, "`test_login` is red since yesterday, it must be SessionStore. find out why")
    ran = Message("ran", Speaker.ASSISTANT, "", tools=(ToolCall("Bash", "pytest -q tests/test_login.py"),))
    passed = Message("passed", Speaker.TOOL, "5 passed in 0.33s")
    told = Message("told", Speaker.ASSISTANT, cause)

    def learned(answer: str) -> list[str]:
        session = talk(asked, ran, passed, told, Message("answer", Speaker.USER, answer))
        return [one.candidate.title for one in run(Case(session, LocalReader())).insights]

    (title,) = learned("great, that was it, thanks!")
    assert title.startswith(
        "`test_login` fails because `SessionStore` in `auth/store.py` keeps the expiry in local time"
    )
    assert learned("no, that is not it, look again") == []


def test_what_the_person_stopped_is_not_learned() -> None:
    session = worked(FINDING, EDIT, TEST)
    stopped = Message("stop", Speaker.USER, "", failed=True)
    assert found(talk(*session.messages, stopped)) == []


def test_words_typed_while_refusing_a_tool_are_heard_and_end_the_turn() -> None:
    session = worked(FINDING, EDIT, TEST)
    refusal = Message("no", Speaker.USER, "Never send cents as floats.", failed=True)
    heard = read(talk(*session.messages, refusal), ToldReader("cents", "`chunker.py`"), BAR)
    assert [one.candidate.title for one in heard.said] == ["Never send cents as floats"]
    assert heard.found == ()  # the work was stopped


def test_a_refused_finding_is_counted_and_told() -> None:
    case = run(Case(worked(FINDING, EDIT, then="No, look again."), ToldReader("`chunker.py`")))
    assert case.outcome in (MiningOutcome.LOW_VALUE, MiningOutcome.NOTHING_FOUND)
    assert case.findings[0].says == "1 of the agent's that the person refused"


def test_what_a_person_says_is_learned_with_the_task_it_was_said_in() -> None:
    rule = "btw, prices are integers in cents, because floats lose money."
    session = talk("Add the basket to the order API.", "Done.", rule, "Ok.")
    (kept,) = run(Case(session, ToldReader("cents", chance=0.95))).insights
    assert kept.candidate.title == "Prices are integers in cents"
    assert kept.candidate.content == {
        "what": "btw, prices are integers in cents",
        "why": "Because floats lose money.",
        "context": "Add the basket to the order API.",
    }
    assert kept.candidate.quotes[0].text == rule
    assert kept.possible  # nothing but the reader's opinion speaks for it


@pytest.mark.parametrize(
    "rule", ["Remember that prices are in cents.", "Never send cents as floats.", "Print cents as euros from now on."]
)
def test_who_says_in_so_many_words_that_it_should_last_is_heard_whatever_the_reader_thinks(rule: str) -> None:
    session = talk("Add the basket to the order API.", "Done.", rule, "Ok.")
    (kept,) = run(Case(session, ToldReader("cents", chance=0.01))).insights
    assert kept.possible
    (sure,) = run(Case(session, ToldReader("cents", chance=0.1))).insights
    assert sure.kept


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Always send cents as integers. Otherwise the till rounds. Now drop it.", "Otherwise the till rounds."),
        ("Always send cents as integers.\nThat's because the till rounds.", "Because the till rounds."),
        ("Always send cents as integers. The till is old.", None),
    ],
)
def test_a_reason_in_the_next_sentence_belongs_to_the_rule(said: str, why: str | None) -> None:
    session = talk("Add the basket to the order API.", "Done.", said, "Ok.")
    (kept,) = run(Case(session, ToldReader("cents"))).insights
    assert kept.candidate.title == "Always send cents as integers"
    assert kept.candidate.content.get("why") == why
    assert kept.candidate.content["what"] == "Always send cents as integers."


def test_an_order_in_the_same_breath_is_no_part_of_a_rule() -> None:
    session = talk("Add the basket to the order API.", "Done.", "Prices never have cents. Now drop the table.", "Ok.")
    (kept,) = run(Case(session, HalfReader("cents", "table"))).insights
    assert kept.candidate.content["what"] == "Prices never have cents."


@pytest.mark.parametrize(
    "said",
    [
        "Never send mail to [EMAIL:3f2a].",
        "Remember that the mail key of the sandbox is [PASSWORD:16d2] and call Dana before you use it.",
        "The mail key of the sandbox is [TOKEN:16d2], so never ask me for it again.",
    ],
)
def test_what_was_redacted_is_no_rule(said: str) -> None:
    session = talk("Add the order API.", "Done.", said, "Ok.")
    assert run(Case(session, ToldReader("mail"))).insights == ()


def test_a_ban_of_a_secret_does_not_state_it() -> None:
    said = "Never commit [TOKEN:16d2] or any other key of the mail sandbox."
    session = talk("Add the order API.", "Done.", said, "Ok.")
    assert len(run(Case(session, ToldReader("mail"))).insights) == 1


@pytest.mark.parametrize("said", ["Never send cents as floats right now.", "Don't print any cents yet."])
def test_what_is_meant_for_now_is_not_learned(said: str) -> None:
    session = talk("Add the basket to the order API.", "Done.", said, "Ok.")
    assert run(Case(session, ToldReader("cents", chance=0.9))).insights == ()


def test_what_makes_no_sense_elsewhere_is_not_learned() -> None:
    session = talk("Which one?", "The API returns A or B?", "the second one, in cents", "Ok.")
    assert read(session, ToldReader("cents", alone=0.2), BAR).unclear == 1
    assert run(Case(session, ToldReader("cents", alone=0.2))).insights == ()


def test_two_things_in_one_breath_are_two_statements() -> None:
    said = "We keep the amounts in cents. The shop closes the books in cents as well."
    titles = [
        one.candidate.title for one in read(talk("Add the API.", "Done.", said, "Ok."), ToldReader("cents"), BAR).said
    ]
    assert sorted(titles) == ["The shop closes the books in cents as well", "We keep the amounts in cents"]


def test_what_follows_an_ellipsis_is_no_statement() -> None:
    session = talk("Add the API.", "Done.", "… and keeps all of its amounts in cents, always.", "Ok.")
    assert read(session, ToldReader("cents"), BAR).said == ()


def test_a_condition_without_what_follows_is_not_learned() -> None:
    session = talk("Add the API.", "Done.", "if they are a shop in cents", "Ok.")
    assert run(Case(session, ToldReader("cents"))).insights == ()


def test_what_friends_say_is_not_learned_and_that_is_told() -> None:
    session = talk("How was your trip?", "Lovely, we paid in cents.", "Never travel without cents.", "Ok.")
    assert read(session, ToldReader("cents"), BAR).said == ()
    assert "nothing in or near them is technical: 2" in run(Case(session, ToldReader("cents"))).findings[0].says


SESSION = ("add the prices to the API", "Done, they are floats.")


def kept(*said: str, always: float = 0.0, chance: float = 0.98) -> list[str]:
    session = talk(*SESSION, *(part for one in said for part in (one, "Ok.")))
    case = run(Case(session, ToldReader("in cents", "use floats", chance=chance, always=always)))
    return [one.candidate.title for one in case.insights]


def test_a_correction_that_holds_always_is_kept_although_it_does_not_say_so() -> None:
    rule = "Prices are in cents, you cannot round them."
    assert kept(rule, chance=0.7, always=0.95) == ["Prices are in cents, you cannot round them"]
    assert kept(rule, chance=0.7, always=0.2) == []
    assert kept(rule, chance=0.2, always=0.95) == []  # it corrects a lot, and states nothing


def test_what_holds_for_now_is_not_kept() -> None:
    assert kept("Leave the prices in cents for now, please.", always=0.95) == []


def test_what_nobody_answers_with_corrects_nothing() -> None:
    session = talk("Prices are in cents, you cannot round them.", "Noted, that is how I will handle them in the API.")
    assert run(Case(session, ToldReader("cents", chance=0.8, always=0.95))).insights == ()


class DeafToReproach(ToldReader):
    """Hears nothing in a sentence that begins with `I said`, as small models do."""

    def message(self, text: str, before: str) -> MessageReading:
        reading = super().message(text, before)
        return replace(reading, statements=()) if not text.startswith("I said") else _unlikely(reading)


def _unlikely(reading: MessageReading) -> MessageReading:
    return replace(reading, statements=tuple(replace(one, chance=0.02) for one in reading.statements))


def test_what_is_said_again_is_heard_without_the_reproach() -> None:
    session = talk(*SESSION, "I said no floats in the API. Twice.", "Sorry.")
    assert read(session, DeafToReproach("floats"), BAR).said == ()

    class Hears(DeafToReproach):
        def message(self, text: str, before: str) -> MessageReading:
            return (
                ToldReader.message(self, text, before)
                if text.startswith("no floats")
                else super().message(text, before)
            )

    (said,) = read(session, Hears("floats"), BAR).said
    assert said.candidate.title == "No floats in the API"


RULE = "Never send prices in cents in this project."


@pytest.mark.parametrize(
    "retraction",
    [
        "hm, scratch that.",
        "forget the thing about cents, the API has a type for it now",
        "Actually no, cents are fine everywhere.",
        "Sorry, my mistake: cents are fine.",
        "we changed our minds about the prices",
    ],
)
def test_what_is_taken_back_in_the_session_is_not_learned(retraction: str) -> None:
    assert kept(RULE) == ["Never send prices in cents in this project"]
    assert kept(RULE, retraction) == []


@pytest.mark.parametrize("other", ["never mind the failing test, it is flaky", "ok, next: the timeout", "forget it?"])
def test_what_is_not_taken_back_stays(other: str) -> None:
    assert kept(RULE, other) == ["Never send prices in cents in this project"]


def test_what_is_replaced_is_not_learned_and_what_replaces_it_is() -> None:
    instead = "Use integers in cents, always"
    assert kept("always use floats in this project", f"not floats. {instead}") == [instead]
    rule = "Always tell prices in cents, not floats"
    assert kept(rule, "not floats! how often do I have to say it") == [rule]


def test_what_is_said_once_more_after_it_was_taken_back_is_learned() -> None:
    assert kept(RULE, "scratch that.", RULE) == ["Never send prices in cents in this project"]


def test_a_rule_for_a_coding_agent_needs_no_technical_word() -> None:
    said = talk("please go on", "I will do that next.", "Never touch the cents.", "Ok.")
    assert read(said, ToldReader("cents"), BAR).said == ()
    agents = replace(said, source=Source("talk", "aider"))
    assert [one.candidate.title for one in read(agents, ToldReader("cents"), BAR).said] == ["Never touch the cents"]


def test_the_task_is_what_was_asked_for_not_what_was_said_last() -> None:
    asked = "Add an endpoint for the prices of all articles."
    said = ("Never send prices in cents.", "No, that is not what I asked for.", "The database never rounds to cents.")
    session = talk(asked, "Done.", *(part for one in said for part in (one, "Ok.")))
    found = {one.candidate.title: one.candidate for one in read(session, ToldReader("cents"), BAR).said}
    assert found["The database never rounds to cents"].content["context"] == asked


def test_a_sentence_may_begin_with_code() -> None:
    (said,) = read(talk("add the API", "Done.", "`price` is in cents", "Ok."), ToldReader("cents"), BAR).said
    assert said.candidate.title == "`price` is in cents"


def test_a_question_states_nothing() -> None:
    assert read(talk("Are the prices in cents?", "Yes.", "ok"), ToldReader("cents"), BAR).said == ()


def test_below_the_bar_nothing_is_kept_and_it_is_told() -> None:
    session = talk("Prices are integers in cents.", "Noted, I will heed it everywhere." * 5, "go on", "Ok.")
    case = run(Case(session, ToldReader("cents", chance=0.5)))
    assert case.insights == ()
    assert "0.50" in " ".join(step.says for step in case.findings) or case.outcome is MiningOutcome.NOTHING_FOUND


def test_a_turn_has_what_was_written_before_it() -> None:
    first, second = turns(talk("Do it.", "Done so.", "Now that."))
    assert (first.before, second.before) == ("", "Done so.")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("no, we use poetry, not pip", "We use poetry, not pip"),
        ("`make e2e` needs the emulator running", "`make e2e` needs the emulator running"),
        ("**never** push to @main.go please", "Never push to main.go"),
        ("production is deployed by a tag v*, never by hand", "Production is deployed by a tag v*, never by hand"),
        ("keep the answers short, otherwise nobody reads them", "Keep the answers short"),
        ("I told you not to mock the database", "Don't mock the database"),
        ("I've told you before: release notes are for customers", "Release notes are for customers"),
        ("Remember: no tabs in yaml files.", "No tabs in yaml files"),
        ("no - use the logger of the app", "Use the logger of the app"),
        ("Remember we use pnpm, not npm", "We use pnpm, not npm"),
        ("I want you to always show the diff first", "Always show the diff first"),
        ("make sure that you never force push to main", "Never force push to main"),
        ("in the future please don't reformat files you only read", "Don't reformat files you only read"),
        ("für die Zukunft: schreib Commits auf Englisch", "Schreib Commits auf Englisch"),
        ("dorénavant, écris les tests avec pytest", "Écris les tests avec pytest"),
        ("Remember we use 4 spaces for indentation", "We use 4 spaces for indentation"),
        ("I want you to always write the tests first!", "Always write the tests first"),
        ("I'd like you not to touch the lock file", "Don't touch the lock file"),
        ("you must not log customer emails", "Don't log customer emails"),
        ("Write commit messages in the imperative mood from now on.", "Write commit messages in the imperative mood"),
    ],
)
def test_a_title_is_the_persons_words_without_the_lead_in(words: str, title: str) -> None:
    assert titled(words) == title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("No emojis in commit messages, ever.", "No emojis in commit messages, ever"),
        ("From now on, no force pushes to main.", "No force pushes to main"),
        ("please no default exports in this repo", "No default exports in this repo"),
        ("I told you no inline styles in this repo", "No inline styles in this repo"),
        ("no more print debugging in this repo", "No more print debugging in this repo"),
        ("As I said, no ORM in this project", "No ORM in this project"),
        ("No, no celery in this project.", "No celery in this project"),
        ("No-op migrations must be deleted", "No-op migrations must be deleted"),
        ("Just-in-time access is off in production", "Just-in-time access is off in production"),
        ("Well tested code needs no reviewer", "Well tested code needs no reviewer"),
        ("Remember me cookies last for 30 days", "Remember me cookies last for 30 days"),
    ],
)
def test_a_title_never_loses_the_word_that_turns_its_meaning(words: str, title: str) -> None:
    assert titled(words) == title


def test_a_reason_in_a_sentence_of_its_own_belongs_to_the_rule() -> None:
    rule = "Always add a changelog entry for `price`. Otherwise the release bot fails. Now fix the test."
    (said,) = read(talk("add the API", "Done.", rule, "Ok."), ToldReader("`price`"), BAR).said
    assert said.candidate.content["why"] == "Otherwise the release bot fails."
    assert said.candidate.title == "Always add a changelog entry for `price`"


def test_a_long_title_ends_between_clauses() -> None:
    words = "the importer keeps one row per customer and day, " + "and whatever comes later on the same day wins " * 3
    assert titled(words) == "The importer keeps one row per customer and day"
    assert content(words, titled(words), "")["what"].startswith(words[:80])


def test_verdicts_of_people_move_the_confidence() -> None:
    def sure(**judged: int) -> float:
        verdicts = {InsightCategory.PATTERN: Verdicts(**judged)}
        return confidence(0.97, InsightCategory.PATTERN, verdicts, backing=Lasting.IMPLIED)

    usual = confidence(0.97, InsightCategory.PATTERN, {}, backing=Lasting.IMPLIED)
    assert sure(dropped=20) < BAR < usual < sure(kept=20)
    assert usual == pytest.approx(sure(kept=8, dropped=2), abs=0.01)
