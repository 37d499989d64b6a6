"""What coding agents get: a section for AGENTS.md, and notes with a prompt; on every database."""

from __future__ import annotations

import pytest

import heedful
from heedful.learnings.events import COUNTED
from heedful.records.correction import COMPLAINT, Correction
from heedful.records.event import Entity, noted
from heedful.text.fence import BEGIN, END
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import LINT, RULES, active, taught
from tests.typed import insights

OUTPUT, MESSAGE = "parse() returns an error when the input is empty.", "Actually it should return nil, not an error"


def _correction(loop: heedful.Loop, number: int, *, about: str | None = None) -> str:
    return loop.capture.correction(
        f"deploy step {number}: make ship", f"deploy step {number}: make release", why="renamed", about=about
    ).id


def _pattern(loop: heedful.Loop) -> str:
    draft = noted(
        COUNTED,
        loop.store.clock(),
        entity=Entity("rule", "shop"),
        before={"text": "was done"},
        after={"text": "did"},
        meta={"category": "wanted", "counts": {"accepted": 9, "rejected": 1}},
    )
    with loop.store.recording() as record:
        return record.append([draft])[0].id


def test_agents_md_has_every_kind_that_was_approved_and_nothing_else(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    taught(loop, "c-1", RULES[0])
    ids = [active(loop)[0].id, _correction(loop, 1), _pattern(loop)]
    assert loop.apply.agents_md().learnings == ()
    assert "Nothing is approved yet." in loop.apply.agents_md().text

    for id in ids:
        loop.govern.learnings.approve(id)
    _correction(loop, 2)
    section = loop.apply.agents_md()

    assert section.learnings == tuple(ids)
    lines = section.text.split("\n")
    assert (lines[0], lines[-1]) == (BEGIN, END)
    headings = [line for line in lines if line.startswith("### ")]
    assert headings[1:] == ["### Corrections", "### Suggestions that people accept"]
    first = lines.index("### Corrections") + 2
    assert lines[first : first + 2] == [
        "- “deploy step 1: make release”, not “deploy step 1: make ship”",
        "  Why: renamed",
    ]
    assert '- "was done" to "did", accepted 9 of 10 times' in lines


@pytest.mark.parametrize(
    ("message", "output", "query", "told"),
    [
        (
            "Never commit directly to main.",
            "Committed directly to main: 3 files.",
            "Fix it",
            "Never commit directly to main.",
        ),
        (
            "No, the region is eu-central-1, not us-east-1.",
            "I'll put it in us-east-1.",
            "Create a bucket",
            "The region is eu-central-1, not us-east-1.",
        ),
        (
            "use `unknown`, never `any`",
            "The parameter is typed as any.",
            "Type the parser",
            "Use `unknown`, never `any`",
        ),
        ("no, 14 days", "The invoice is due in 30 days.", "When is it due?", "When is it due? 14 days, not 30 days"),
    ],
)
def test_a_correction_in_agents_md_makes_sense_without_what_the_agent_reported(
    loop: heedful.Loop, message: str, output: str, query: str, told: str
) -> None:
    made = loop.capture.message(message, last_output=output, query=query, actor="dana").correction
    assert made is not None
    loop.govern.learnings.approve(made.id)
    lines = [line for line in loop.apply.agents_md().text.split("\n") if line.startswith(("- ", "  "))]
    assert lines == [f"- {told}"]


def test_what_nobody_understands_later_is_left_out_until_it_is_said_in_full(loop: heedful.Loop) -> None:
    made = loop.capture.message("No, the other one", last_output="I changed the header.", query="").correction
    assert made is not None
    loop.govern.learnings.approve(made.id)
    section = loop.apply.agents_md()
    assert (section.learnings, section.left_out) == ((), (made.id,))
    assert "Nothing is approved yet." in section.text

    loop.govern.learnings.edit(made.id, right="Headers are blue")
    loop.govern.learnings.approve(made.id)
    assert "- Headers are blue" in loop.apply.agents_md().text


def test_what_was_mined_and_corrected_is_written_once_in_the_fuller_words(loop: heedful.Loop) -> None:
    taught(loop, "c-1", "Never push to main.")
    (mined,) = active(loop)
    said = loop.capture.message(
        "Never push to main! Work on a branch and open a PR.", last_output="I pushed it to main.", query="Fix it"
    ).correction
    assert said is not None
    for id in (mined.id, said.id):
        loop.govern.learnings.approve(id)
    section = loop.apply.agents_md()
    assert section.learnings == (said.id,)
    assert "- Never push to main! Work on a branch and open a PR." in section.text


def test_agents_md_of_a_project_has_its_own_and_what_holds_everywhere(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    ids = {about: _correction(loop, number, about=about) for number, about in enumerate(("shop", "till", None))}
    for id in ids.values():
        loop.govern.learnings.approve(id)

    section = loop.apply.agents_md(about="shop")
    assert (section.learnings, section.elsewhere) == ((ids["shop"], ids[None]), ("till",))
    assert set(loop.apply.agents_md().learnings) == set(ids.values())


def test_a_prompt_is_heard_and_answered_with_what_matters(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    question = "what does parse() return on empty input?"
    heard = loop.agents.prompt(MESSAGE, last_output=OUTPUT, query=question, session="s-1", about="shop", id="m-1")
    assert heard.correction is not None
    assert (heard.correction.id, heard.correction.right, heard.correction.about) == ("m-1", "nil", "shop")
    assert (heard.context, heard.learnings) == ("", ())  # they have just said it themselves
    again = loop.agents.prompt(MESSAGE, last_output=OUTPUT, query=question, session="s-1", about="shop", id="m-1")
    assert again.correction == heard.correction

    told = loop.agents.prompt(question, about="shop")
    assert (told.learnings, told.correction) == (("m-1",), None)
    assert f'the person said: "{MESSAGE}" (about "{OUTPUT}", asked "{question}")' in told.context
    assert loop.agents.prompt(question, about="till").context == ""
    assert len(list(loop.events())) == 1


def test_learnings_reach_an_agent_that_did_not_ask_only_once_they_are_approved(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    taught(loop, "c-1", RULES[0])
    (learned,) = active(loop)
    assert loop.agents.prompt(learned.title).context == ""

    insights(loop).approve(learned.id)
    assert loop.agents.prompt(learned.title).learnings == (learned.id,)


def test_a_notice_of_a_program_is_no_prompt(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    _correction(loop, 1)
    for notice in ("<task-notification>make ship</task-notification>", f"<system-reminder>{MESSAGE}", " "):
        result = loop.agents.prompt(notice, last_output=OUTPUT)
        assert (result.context, result.correction) == ("", None)
    assert len(list(loop.events())) == 1


# A session


def _hears(loop: heedful.Loop, prompt: str, output: str, *, session: str = "s-1", about: str = "shop") -> Correction:
    heard = loop.agents.prompt(prompt, last_output=output, session=session, about=about)
    assert heard.correction is not None
    return heard.correction


@pytest.mark.parametrize(
    ("prompt", "output"),
    [
        ("No, I meant the other file, gallery.py not viewer.py", "Done, thumbnails are 256px."),
        ("not the header, the footer", "Changed the header to red."),
        ("that's the client timeout, I wanted the server one", "Changed the timeout to 30 s."),
        ("why did you remove the tests?? bring them back", "I removed the tests."),
        ("no I wanted it on the release branch", "I merged it into develop."),
    ],
)
def test_a_remark_about_the_task_at_hand_is_not_told_to_every_session(
    open_loop: OpenLoop, prompt: str, output: str
) -> None:
    loop = open_loop(embedder=WordEmbedder())
    assert not _hears(loop, prompt, output).always
    assert loop.agents.start(about="shop", session="s-2").context == ""


@pytest.mark.parametrize(
    ("prompt", "output"),
    [
        ("we log with structlog, never print", "I added print statements."),
        ("No, use pnpm, not npm. We have one lock file.", "I ran `npm install` and created package.json."),
        ("never push to main!", "I pushed to main."),
        ("Wir nutzen pnpm, nicht npm", "Ich habe npm install ausgeführt."),
    ],
)
def test_what_a_person_states_for_good_is_told_to_every_session_but_the_one_it_was_said_in(
    open_loop: OpenLoop, prompt: str, output: str
) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = _hears(loop, prompt, output)

    assert said.always
    for told in (
        loop.agents.prompt("add a button for the receipt", session="s-1", about="shop"),
        loop.agents.glance("add a button for the receipt", session="s-1", about="shop"),
        loop.agents.start(about="shop", session="s-1"),
    ):
        assert told.context == ""
    assert loop.agents.start(about="shop", session="s-2").learnings == (said.id,)
    assert loop.agents.start(about="shop").learnings == (said.id,)  # an agent that has forgotten its session


def test_an_approved_insight_takes_the_place_of_the_correction_it_was_learned_from(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    rule, other = RULES[1], "No, use pnpm, not npm. We have one lock file."
    said = _hears(loop, rule, "I printed the addresses.", session="c-1")
    kept = _hears(loop, other, "I ran `npm install`.")
    learned = taught(loop, "c-1", rule, project="shop")
    assert set(loop.agents.start(about="shop").learnings) == {said.id, kept.id}

    insights(loop).approve(learned.id)
    assert set(loop.agents.start(about="shop").learnings) == {learned.id, kept.id}
    assert said.id not in loop.agents.prompt(rule, about="shop", told=[learned.id]).learnings


@pytest.mark.parametrize(
    ("prompt", "output"),
    [
        ("yep", "Changed it to nullable."),
        ("try again", "I regenerated the price list."),
        ("it still fails with the same error", "I patched the parser."),
        ("nein, falsch", "Der Ofen läuft mit 180 Grad."),
        ("eso está mal", "El tren sale al mediodía."),
    ],
)
def test_what_says_nothing_by_itself_is_given_to_nobody(open_loop: OpenLoop, prompt: str, output: str) -> None:
    loop = open_loop(embedder=WordEmbedder())
    assert loop.agents.prompt(prompt, last_output=output, session="s-1", about="shop", id="m-1").correction is None
    assert list(loop.govern.learnings.all()) == []
    noted = [event.kind for event in loop.events()]
    assert noted in ([], [COMPLAINT])

    again = loop.agents.prompt(prompt, last_output=output, session="s-1", about="shop", id="m-1")
    assert again.correction is None
    assert [event.kind for event in loop.events()] == noted


@pytest.mark.parametrize("ban", ["don't use print here", "no print here, we log with structlog"])
def test_a_ban_by_name_lasts_and_warns_in_the_next_session(open_loop: OpenLoop, ban: str) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = _hears(loop, ban, "I added print(total) to the report.")
    assert loop.agents.start(about="shop", session="s-2").learnings == (said.id,)
    assert loop.agents.warning("print(total)", about="shop", files=["report.py"]).learnings == (said.id,)
    assert loop.agents.warning("pprint(total)", about="shop", files=["report.py"]).learnings == ()


@pytest.mark.parametrize(
    ("prompt", "output"),
    [
        ("any idea why the build takes so long?", "I added the export command. All 41 tests pass."),
        ("great, now the same for the invoice page", "The order page has the filter now."),
        ("what does the second flag do?", "I call rsync with -a and --delete."),
    ],
)
def test_who_just_goes_on_corrects_nothing(open_loop: OpenLoop, prompt: str, output: str) -> None:
    loop = open_loop(embedder=WordEmbedder())
    assert loop.agents.prompt(prompt, last_output=output, session="s-1", about="shop").correction is None
    assert list(loop.events()) == []


@pytest.mark.parametrize(
    ("prompt", "output", "lasts"),
    [
        ("No, please always answer in German.", "Here is the answer in English.", True),
        ("No! Always ask me before you delete a branch.", "I deleted the branch.", True),
        ("no, don't run the tests now, no time", "I will run the tests.", False),
        ("No, use requests for this one, the page is static.", "I used playwright to read the page.", False),
        ("Nein, für diese Rechnung bitte netto.", "Ich habe alle Preise brutto geschrieben.", False),
    ],
)
def test_a_correction_lasts_as_long_as_the_person_says(
    open_loop: OpenLoop, prompt: str, output: str, lasts: bool
) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = _hears(loop, prompt, output)

    assert said.always is lasts
    assert loop.agents.start(about="shop", session="s-2").learnings == ((said.id,) if lasts else ())


# What a session taught


def test_what_a_person_says_for_good_is_their_own_from_the_next_session_on(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = taught(loop, "c-1", RULES[1], project="shop", actor="dana")

    told = loop.agents.start(about="shop", actor="dana", session="s-2")
    assert told.learnings == (said.id,)
    assert f'always: the person said: "{RULES[1]}"' in told.context
    assert loop.agents.prompt("add a button", about="shop", actor="dana").learnings == (said.id,)
    for others in (
        loop.agents.start(about="shop", actor="lee"),  # whose wish it is not
        loop.agents.start(about="shop"),
        loop.agents.start(about="till", actor="dana"),
        loop.agents.start(actor="dana"),
        loop.agents.start(about="shop", actor="dana", session="c-1"),  # where it was said
    ):
        assert others.context == ""
    assert loop.apply.agents_md(about="shop").learnings == ()

    loop.govern.learnings.approve(said.id)
    everybody = loop.agents.start(about="shop", actor="lee")
    assert everybody.learnings == (said.id,)
    assert "the person said" not in everybody.context


def test_a_colleague_who_says_the_same_wishes_it_too(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = taught(loop, "c-1", LINT, project="shop", actor="dana")
    taught(loop, "c-2", LINT, project="shop", actor="lee")

    assert loop.agents.start(about="shop", actor="lee").learnings == (said.id,)
    assert "said 2 times" in loop.agents.start(about="shop", actor="dana").context


def test_a_wish_that_is_dropped_edited_or_not_sure_is_not_told(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    dropped, edited = (taught(loop, f"c-{number}", RULES[number], project="shop", actor="dana") for number in (1, 2))
    loop.govern.learnings.retire(dropped.id)
    insights(loop).edit(edited.id, title="Other words than the person's")

    assert loop.agents.start(about="shop", actor="dana").context == ""
