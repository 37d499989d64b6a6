"""Why: from a line of a prompt back to what people did, for every kind of learning; on every database."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

import heedful
from heedful.edges.worker import Worker
from heedful.errors import NotFound
from heedful.learnings.events import APPLIED, ENTITY
from heedful.learnings.outcomes import NewOutcome, append_outcome, context_of
from heedful.records.correction import Correction
from heedful.records.event import Entity, noted
from heedful.records.insight import Insight
from heedful.records.learning import Status
from heedful.records.why import Why
from heedful.testing import FrozenClock
from tests.contexts import give
from tests.contract.extracting import extracted
from tests.contract.mining import LINT, LINT_TOO, taught
from tests.contract.reviewing import proposed, review
from tests.feedback import fix
from tests.typed import insights

MOST = 40


@pytest.fixture
def named(loop: heedful.Loop) -> heedful.Loop:
    """An organisation that keeps the names of people."""
    loop.govern.set_privacy(anonymize_users=False)
    return loop


def _corrected(loop: heedful.Loop, clock: FrozenClock) -> str:
    """Said on Monday and Tuesday, edited on Wednesday, approved on Thursday."""
    made = loop.capture.correction("Porto", "Lisbon", why="the office moved", actor="dana", session="s-1")
    clock.advance(days=1)
    loop.capture.correction("Porto", "Lisbon", actor="lee", session="s-2")
    clock.advance(days=1)
    loop.govern.learnings.edit(made.id, right="Lisboa")
    clock.advance(days=1)
    loop.govern.learnings.approve(made.id)
    return made.id


def _lines(why: Why) -> list[str]:
    return why.text.split("\n")[1:]


def _sound(why: Why) -> None:
    """The graph is one: every edge joins two nodes, and every node leads somewhere."""
    ids = [node.id for node in why.nodes]
    assert ids == [f"n{number}" for number in range(1, len(ids) + 1)]
    joined = {id for edge in why.edges for id in (edge.source, edge.target)}
    assert joined <= set(ids)
    assert len(ids) == 1 or joined == set(ids)
    assert len(ids) <= MOST
    assert why.mermaid.startswith("flowchart LR\n")
    assert why.mermaid.count("\n") == 1 + len(why.nodes) + len(why.edges)


# Corrections


def test_a_correction_is_explained_by_who_said_edited_and_approved_it(named: heedful.Loop, clock: FrozenClock) -> None:
    why = named.govern.why(_corrected(named, clock))

    assert _lines(why) == [
        "2026-01-05 dana corrected “Porto” to “Lisbon” in session s-1, because “the office moved”",
        "2026-01-06 lee said it again in session s-2",
        "2026-01-07 local edited it, version 2: corrected “Porto” to “Lisboa”",
        "2026-01-08 local approved version 2",
    ]
    assert why.people == ("dana", "lee", "local")
    assert isinstance(why.learning, Correction)
    assert why.learning.right == "Lisboa"
    assert [(edge.label, edge.target) for edge in why.edges] == [
        ("taught", "n1"),
        ("said again", "n1"),
        ("edited", "n1"),
        ("approved", "n1"),
    ]
    assert [node.ref for node in why.nodes[1:]] == [event.id for event in why.history]
    _sound(why)


def test_an_edit_says_what_it_changed(named: heedful.Loop) -> None:
    made = named.capture.correction("Porto", "Lisbon", category="factual", query="Where?", about="office", actor="dana")
    for changes in (
        {"understood": "The office is in Lisbon.", "fixed": "It is in Lisbon."},
        {"always": True, "severity": 0.9, "category": "domain"},
        {"about": "", "audience": "me"},
        {"why": "it moved", "about": "offices", "audience": "team"},
        {"understood": "", "fixed": "", "why": "", "always": False},
        {"right": "Lisboa", "understood": "It is in Lisboa."},
        {"right": "Lisbon"},
        {"wrong": ""},
        {"severity": 0.9},
    ):
        named.govern.learnings.edit(made.id, **changes)

    edited = "2026-01-05 local edited it, version"
    assert _lines(named.govern.why(made.id))[1:] == [
        f"{edited} 2: put right as “It is in Lisbon.”, understood as “The office is in Lisbon.”",
        f"{edited} 3: it always holds, category domain, severity 0.9",
        f"{edited} 4: about everything, for one person only",
        f"{edited} 5: because “it moved”, about “offices”, for the team",
        f"{edited} 6: without the sentence put right, without what was understood, without a reason, "
        "it holds for this question only",
        f"{edited} 7: corrected “Porto” to “Lisboa”, understood as “It is in Lisboa.”",
        f"{edited} 8: corrected “Porto” to “Lisbon”",
        f"{edited} 9: said that “Lisbon” is right",
        f"{edited} 10: said that “Lisbon” is right",  # it changed nothing
    ]


def test_an_insight_that_was_moved_says_where(loop: heedful.Loop, clock: FrozenClock) -> None:
    del clock
    one = taught(loop, "a", LINT)
    loop.govern.learnings.edit(one.id, about="billing")
    loop.govern.learnings.edit(one.id, title="Lint first", about="")

    assert "edited it, version 2: about “billing”" in loop.govern.why(one.id).text
    assert "edited it, version 3: “Lint first”, about everything" in loop.govern.why(one.id).text


def test_as_of_an_earlier_time_it_says_what_was_known_then(named: heedful.Loop, clock: FrozenClock) -> None:
    id = _corrected(named, clock)
    named.govern.learnings.retire(id, why="the office closed")

    for day, version, approved, status, acts in (
        ("2026-01-05T12:00:00Z", 1, False, Status.ACTIVE, 1),
        ("2026-01-07", 1, False, Status.ACTIVE, 2),
        ("2026-01-08", 2, False, Status.ACTIVE, 3),
        ("2026-01-09", 2, True, Status.RETIRED, 5),
    ):
        then = named.govern.why(id, at=day)
        one = then.learning
        assert isinstance(one, Correction)
        assert (one.version, one.approved, one.status) == (version, approved, status), day
        assert one.right == ("Lisbon" if version == 1 else "Lisboa")
        assert len(_lines(then)) == acts
        assert then.as_of is not None
        assert then.text.startswith("As of 2026-01-")
        assert "Lisboa" not in then.mermaid or version == 2
        _sound(then)

    with pytest.raises(NotFound, match="known since 2026-01-05 09:00 UTC"):
        named.govern.why(id, at="2026-01-01")
    with pytest.raises(NotFound, match="no learning and no context"):
        named.govern.why("nothing-here", at="2026-01-01")


def test_what_was_recorded_later_was_not_known_then(named: heedful.Loop, clock: FrozenClock) -> None:
    """History that is imported in March did not happen in March, but it was not known before."""
    id = _corrected(named, clock)
    before = clock.now - timedelta(days=30)
    late = named.capture.correction("Bonn", "Berlin", actor="kim", at=before).id
    named.capture.correction("Porto", "Lisboa", actor="kim", at=before + timedelta(days=28), id="again")

    with pytest.raises(NotFound, match="known since 2026-01-08"):
        named.govern.why(late, at=before + timedelta(days=10))
    assert "again" not in {event.id for event in named.govern.why(id, at="2026-01-07").history}
    assert "again" in {event.id for event in named.govern.why(id).history}
    assert isinstance(named.govern.why(late, at=clock.now).learning, Correction)


def test_a_disagreement_is_told_on_both_sides(named: heedful.Loop) -> None:
    one = named.capture.correction("Porto", "Lisbon", actor="dana").id
    other = named.capture.correction("Porto", "Madrid", actor="kim").id
    assert f'contradicts “say "Madrid", not "Porto"” [{other}]' in named.govern.why(one).text
    (asked,) = named.govern.proposals.all()
    named.govern.proposals.approve(asked.id, by="lee")

    assert "it holds instead of" in named.govern.why(other).text
    assert f"[{other}] holds instead" in named.govern.why(one).text
    named.govern.learnings.delete(other)
    assert "Madrid" not in named.govern.why(one).text


# Insights


def test_an_insight_is_explained_by_what_people_said_in_conversations(named: heedful.Loop, clock: FrozenClock) -> None:
    first = taught(named, "chat-1", LINT, actor="dana", project="shop")
    clock.advance(days=1)
    taught(named, "chat-2", LINT_TOO, actor="lee", project="till")
    why = named.govern.why(first.id)

    assert [proof.conversation for proof in why.proofs] == ["chat-1", "chat-2"]
    assert why.people == ("dana", "lee")
    assert any(line.startswith("2026-01-05 dana said “From now on always run `make lint`") for line in _lines(why))
    assert any(line.endswith("in conversation chat-2") for line in _lines(why))
    _sound(why)
    places = {node.ref: node.id for node in why.nodes}
    quoted = {edge.target for edge in why.edges if edge.label == "quoted"}
    assert quoted == {places[proof.learning] for proof in why.proofs}, "a message leads to what it taught"

    earlier = named.govern.why(first.id, at="2026-01-06")
    assert [proof.conversation for proof in earlier.proofs] == ["chat-1"]
    assert isinstance(earlier.learning, Insight)
    assert (earlier.learning.confirmed, earlier.learning.about) == (0, "shop")


def test_erased_messages_are_not_quoted_and_it_is_said_that_they_are_gone(named: heedful.Loop) -> None:
    one = taught(named, "chat-1", LINT, actor="dana")
    gone = one.quotes[-1]
    message = named.event(gone.message)
    with named.store.recording() as record:
        record.erase([message])

    why = named.govern.why(one.id)
    assert gone.message not in {quote.message for proof in why.proofs for quote in proof.quotes}
    assert gone.message not in {node.ref for node in why.nodes}
    assert "1 piece of its evidence was erased" in why.text
    assert [node.kind for node in why.nodes].count("erased") == 1
    _sound(why)


def test_an_imported_learning_says_who_imported_it_and_is_known_since_then(
    loop: heedful.Loop, clock: FrozenClock
) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    insights(theirs).approve(taught(theirs, "chat-1", LINT).id)
    file = theirs.govern.export().document()
    clock.advance(days=30)
    ours.govern.import_(file)
    (one,) = insights(ours).all()

    (line,) = _lines(ours.govern.why(one.id))
    assert line.startswith("2026-02-04 local imported it from the file ")
    assert "Shared by others, who learned it in 1 of their conversations." in line
    with pytest.raises(NotFound, match="known since 2026-02-04"):
        ours.govern.why(one.id, at="2026-01-20")


# Reviews


def test_a_rule_is_explained_by_reviews_the_proposal_and_who_agreed(named: heedful.Loop, clock: FrozenClock) -> None:
    made = proposed(named)
    clock.advance(days=1)
    for who in ("bo", "eve"):
        named.govern.proposals.approve(made.id, by=who)
    (rule,) = named.govern.rules.in_force()
    clock.advance(days=1)
    review(named, 3, reviewer="tom", comment=made.rule.text if made.rule else "")
    named.learn.reviews.evaluate("review-3")

    why = named.govern.why(rule.id)
    node = {one.ref: one for one in why.nodes}
    toward = {(edge.source, edge.target) for edge in why.edges}
    for id in ("review-0", "review-1", "review-2"):
        assert (node[id].id, node[made.id].id) in toward, "a review leads to the proposal"
    assert (node[made.id].id, "n1") in toward
    assert {"bo", "eve", "lee", "kim", "ana", "tom"} <= set(why.people)
    assert "2026-01-06 heedful put it into force, approved by bo and eve" in _lines(why)
    assert any(line.startswith("2026-01-07 tom had to say it again: ") for line in _lines(why))
    _sound(why)

    with named.store.recording() as record:
        record.erase([named.event("review-1")])
    gone = named.govern.why(rule.id)
    assert "review-1" not in {one.ref for one in gone.nodes}
    assert "1 piece of its evidence was erased" in gone.text

    (said, found) = _lines(named.govern.why("review-0"))
    assert said.startswith("2026-01-05 lee reviewed an output of coder (approved with changes): “Always validate")
    assert "heedful found it generalizable high" in found


def test_who_reviewed_under_a_pseudonym_and_approved_by_name_is_one_person(loop: heedful.Loop) -> None:
    assert loop.govern.privacy().anonymize_users
    made = proposed(loop)
    for who in ("lee", "Kim"):
        loop.govern.proposals.approve(made.id, by=who)
    (rule,) = loop.govern.rules.in_force()
    people = loop.govern.why(rule.id).people

    assert len(people) == 3
    assert all(one.startswith("person-") for one in people)


@pytest.mark.parametrize(("accept", "says"), [(True, "lee said that it still holds"), (False, "lee retired it")])
def test_who_answered_a_proposal_is_who_did_it(
    loop: heedful.Loop, clock: FrozenClock, *, accept: bool, says: str
) -> None:
    old = loop.capture.correction("Node 12", "Node 14", actor="dana").id
    clock.advance(days=2_000)
    (asked,) = loop.learn.curate()
    (loop.govern.proposals.approve if accept else loop.govern.proposals.reject)(asked.id, by="lee")

    assert says in loop.govern.why(old).text


def test_what_contexts_showed_is_as_old_then_as_it_was(loop: heedful.Loop, clock: FrozenClock) -> None:
    made = loop.capture.correction("Porto", "Lisbon", query="Where is the office?")
    clock.advance(days=10)
    assert loop.apply.context("Where is the office?").pieces
    clock.advance(days=10)
    then = loop.govern.why(made.id, at=clock.now).learning

    assert then is not None
    assert (then.applied, then.renewed_at) == (1, made.at)
    assert then == loop.govern.learnings.get(made.id)


# Suggestions


@pytest.mark.parametrize(
    ("people", "says"), [(4, "6 decisions of 4 people"), (2, "6 decisions of fewer than 3 people")]
)
def test_a_pattern_counts_people_and_names_none(named: heedful.Loop, people: int, says: str) -> None:
    for number in range(6):
        fix(named, original="It was done", suggested="We did it", actor=f"person-{number % people}")
    Worker(named).run_all()
    one = next(named.govern.learnings.all(kind="pattern"))

    why = named.govern.why(one.id)
    assert says in why.text
    assert [node.kind for node in why.nodes].count("decision") == 5, "the newest"
    assert why.people == ()
    assert "person-" not in why.to_json()
    _sound(why)


def test_what_was_decided_once_and_given_by_itself_is_explained(named: heedful.Loop) -> None:
    made = named.capture.fix(
        "short", "modified", original="utilise", suggested="use", final="take", comment="plainer", actor="dana"
    ).id
    context = named.apply.context(rule="short", user="dana")
    (piece,) = context.pieces
    assert piece.id == made
    assert context.id is not None

    why = named.govern.why(piece.id)
    assert "somebody modified a suggestion: “utilise” to “use”, to “take” instead, because “plainer”" in why.text
    assert (why.learning, why.people, why.history) == (None, (), ())
    assert [(node.kind, node.ref) for node in why.nodes] == [("decision", made)]
    assert "dana" not in why.to_json()
    _sound(why)
    given = named.govern.why(context.id)
    assert "0 learnings and 1 single decision" in given.text
    assert [(edge.source, edge.target, edge.label) for edge in given.edges] == [("n2", "n1", "in")]
    assert "erased" not in given.text
    _sound(given)
    with pytest.raises(NotFound):
        named.govern.why(made, at="2026-01-01")


def test_a_pattern_that_is_not_written_down_yet_is_explained_by_its_decisions(named: heedful.Loop) -> None:
    for number in range(4):
        fix(named, number, decision="rejected" if number == 3 else "accepted", actor=f"person-{number}")
    context = named.apply.context(rule="short")
    (piece,) = context.pieces
    assert context.id is not None

    why = named.govern.why(piece.id)
    assert why.text.startswith(f"[{piece.id}] “in order to” to “to” (pattern, not written down, 4 decisions: 3 accep")
    assert [node.kind for node in why.nodes].count("decision") == 5, "itself and its decisions"
    assert "Used once" in why.text
    assert (why.learning, why.people) == (None, ())
    assert "person-" not in why.to_json()
    _sound(why)
    before = named.govern.why(context.id)
    assert ": 1 learning\n" in before.text
    assert "erased" not in before.text
    _sound(before)

    Worker(named).run_all()
    assert named.govern.why(piece.id).learning is not None
    assert named.govern.why(context.id).text == before.text, "as it was when it was given"


# Documents


def test_a_mapping_is_explained_by_who_confirmed_and_rejected_it_on_which_document(named: heedful.Loop) -> None:
    draft = extracted(named, customer="C-9")
    made = named.capture.mapping_confirmed("ABC-1", "INT-1", customer="C-9", by="dana", draft=draft.id)
    named.capture.mapping_confirmed("ABC-1", "INT-1", customer="C-9", by="lee")
    named.capture.mapping_rejected("ABC-1", "INT-1", customer="C-9", by="kim")

    why = named.govern.why(made.id)
    assert [line[len("2026-01-05 ") :] for line in _lines(why)] == [
        f"dana confirmed that “ABC-1” means “INT-1” on document {draft.document}",
        "lee confirmed that “ABC-1” means “INT-1”",
        "kim rejected that “ABC-1” means “INT-1”",
    ]
    assert why.people == ("dana", "lee", "kim")
    _sound(why)


# Contexts and uses


def test_a_context_is_one_graph_of_its_learnings_as_they_were_when_it_was_given(
    named: heedful.Loop, clock: FrozenClock
) -> None:
    one = named.capture.correction("Porto", "Lisbon", actor="dana", about="travel", query="Where is the office?").id
    context = named.apply.context("Where is the office in Porto?", about="travel")
    assert context.id is not None
    clock.advance(days=1)
    named.measure.outcome(context.id, success=True)
    named.govern.learnings.edit(one, right="Lisboa")

    why = named.govern.why(context.id)
    assert why.learning is None
    assert [(node.kind, node.ref) for node in why.nodes][:2] == [("context", context.id), ("learning", one)]
    assert "Lisboa" not in why.text, "it was edited later"
    assert "Outcome: 1" in why.text
    assert why.people == ("dana",)
    _sound(why)
    assert "Outcome" not in named.govern.why(context.id, at="2026-01-05T09:00:00Z").text
    with pytest.raises(NotFound, match="was given later"):
        named.govern.why(context.id, at="2026-01-01")

    used = named.govern.why(one)
    assert used.uses.times == 1
    assert [(use.context, use.outcome) for use in used.uses.latest] == [(context.id, 1.0)]
    assert "Used once, last on 2026-01-05; outcomes of the latest: 1" in used.text
    assert "LEARNING_APPLIED" not in {event.kind for event in used.history}
    named.govern.learnings.delete(one)
    assert "1 learning of it was erased since" in named.govern.why(context.id).text


def test_what_counts_of_a_context_is_the_same_as_in_the_counts(named: heedful.Loop, clock: FrozenClock) -> None:
    """Reported late, but about an earlier time; and several acts of people without a report."""
    one = named.capture.correction("Porto", "Lisbon", actor="dana").id
    for unit, values in (("late", (1.0, 0.0)), ("acts", (1.0, 0.5, 0.0))):
        give(named, one, unit=unit, id=f"context-{unit}")
        for number, value in enumerate(values):
            at = clock.now - timedelta(minutes=number)
            if unit == "late":
                named.measure.outcome(f"context-{unit}", score=value, at=at)
            else:
                _derived(named, f"context-{unit}", value, f"act-{number}", at)

    late, acts = (named.govern.why(f"context-{unit}").uses.latest[0].outcome for unit in ("late", "acts"))
    assert (late, acts) == (1.0, 0.5)


def _derived(loop: heedful.Loop, context: str, value: float, act: str, at: datetime) -> None:
    new = NewOutcome(value, None, "dana", at, derived_from=act)
    with loop.store.recording() as record:
        append_outcome(loop.store, record, context_of(loop.store, context), new)


def test_uses_that_were_recorded_later_were_not_known_then(named: heedful.Loop, clock: FrozenClock) -> None:
    """Such as those of an archive, which keep their times."""
    one = named.capture.correction("Porto", "Lisbon", actor="dana").id
    then = clock.now
    clock.advance(days=1)
    named.govern.learnings.approve(one)
    named.store.record([noted(APPLIED, then, entity=Entity(ENTITY, one))])

    known, now = named.govern.why(one, at=then), named.govern.why(one)
    assert (known.uses.times, known.uses.latest) == (0, ())
    assert isinstance(known.learning, Correction)
    assert known.learning.applied == 0
    assert now.uses.times == len(now.uses.latest) == 1


def test_a_long_history_is_summed_up(named: heedful.Loop, clock: FrozenClock) -> None:
    id = _corrected(named, clock)
    named.capture.corrections({"wrong": "Porto", "right": "Lisboa", "actor": f"p{number}"} for number in range(60))
    for _ in range(6):
        named.apply.improve("We meet in Porto.")

    why = named.govern.why(id)
    assert len(why.nodes) == MOST - 1, "there would be room to say that something was erased"
    assert "and 32 more: 32 said again" in why.text
    assert (why.uses.times, len(why.uses.latest)) == (6, 5)
    assert "2026-01-05 dana corrected" in why.text, "the beginning is not left out"
    assert len(why.history) == 64
    assert len(why.people) == 63
    _sound(why)
