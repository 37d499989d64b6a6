"""Apply: uses learnings in prompts and outputs."""

from __future__ import annotations

import logging

from heedful.apply.agents_md import section
from heedful.apply.context import ContextComposer, Task
from heedful.apply.corrections.corrector import Corrector, unchanged
from heedful.apply.documents.extractor import Extractor
from heedful.apply.reviews.prompt import with_rules
from heedful.apply.suggestions.rules import RuleContexts
from heedful.errors import InvalidInput, NotFound, StoreError
from heedful.learnings.audience import owner
from heedful.learnings.documents.examples import hint_examples
from heedful.learnings.documents.library import Library
from heedful.learnings.holdout import checked_share
from heedful.learnings.kinds import checked_category, checked_kind, record_of
from heedful.learnings.relevance import Retrieval
from heedful.learnings.rules import Rules
from heedful.learnings.table import NONE, OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.operations import policy
from heedful.operations.operation import operation
from heedful.operations.toolset import ToolSet
from heedful.records.clock import Time, moment
from heedful.records.context import AgentsSection, AnyTemplate, Context, Template
from heedful.records.correction import LONG_LIMIT
from heedful.records.document import EXAMPLES, Document, DocumentDraft, HintExample
from heedful.records.improved import Improved
from heedful.records.learning import AnyStatus, Status
from heedful.records.learnings import MATCHED, AnyKind, Match
from heedful.records.names import TOKENS_LIMIT, Limit, Name, Share, Tokens, identifier, page_limit, whole
from heedful.records.outside import Outside
from heedful.records.rule_context import RuleContext
from heedful.records.tier import Tier
from heedful.store import Store
from heedful.text.checks import checked_text

_LOG = logging.getLogger("heedful.apply")


class Apply:
    """`loop.apply`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation(
        "GET /rules/{rule}/context",
        policy.ContextPolicy.read,
        example={"rule": "no-passive"},
        tier=Tier.TEAMS,
        tool="rule_context",
        tools=ToolSet.SUGGESTIONS,
    )
    def rule_context(self, rule: Name) -> RuleContext:
        """Show what decisions taught about a rule: patterns, rates, calibration, and a text for the prompt.

        Add `prompt` to the prompt that makes the next suggestion for this rule; `calibration` maps a stated confidence
        to the measured one. A rule without decisions has an empty context.
        """
        return RuleContexts(self._store).of(identifier(rule, "rule"))

    @operation(
        "GET /learnings:search",
        policy.LearningPolicy.read,
        example={"query": "what does parse() return?", "limit": 5},
        errors=(InvalidInput,),
        tool="search_learnings",
        tools=ToolSet.AGENTS,
    )
    def search(
        self,
        query: str,
        *,
        kind: AnyKind | None = None,
        category: Name | None = None,
        status: AnyStatus | None = Status.ACTIVE,
        about: Name | None = None,
        user: Name | None = None,
        limit: Limit = 10,
    ) -> list[Match]:
        """Find learnings relevant to a question, a task or an output, best first.

        Call it before you answer, so that people need not repeat what they corrected and taught. `kind` is one of
        correction, insight, mapping and pattern; `about` keeps learnings of that topic and of none; `user` is who
        asks, and also gets what is for them only. Words, names and meaning count. `relevance` is similarity times
        confidence, recency and standing.
        """
        wanted = {
            "kind": None if kind is None else checked_kind(kind),
            "category": None if category is None else checked_category(kind, category),
            "status": None if status is None else Status.of(status).value,
            OWN_OR_NO_SCOPE: None if about is None else identifier(about, "about"),
            OWN_OR_NO_OWNER: owner(self._store, user, "user"),
        }
        checked_text(query, "query", LONG_LIMIT)
        found = Retrieval(self._store, self._outside).related(query, page_limit(limit), wanted)
        self._store.notify(MATCHED, found)
        return found

    @operation(
        "POST /contexts",
        policy.ContextPolicy.compose,
        example={"query": "The integration tests fail now and then", "agent": "coder", "about": "shop", "budget": 600},
        errors=(InvalidInput, NotFound),
        tool="get_context",
        tools=ToolSet.AGENTS,
        redact=False,
    )
    def context(
        self,
        query: str = "",
        *,
        agent: Name | None = None,
        user: Name | None = None,
        about: Name | None = None,
        rule: Name | None = None,
        document: Name | Document | None = None,
        unit: Name | None = None,
        budget: Tokens = 800,
        template: AnyTemplate = Template.TEXT,
        hold_out: Share = 0.1,
    ) -> Context:
        """Compose what matters for a task into a text for the prompt, within a token budget.

        First what always holds: rules in force for `agent`, what people approved as always, up to ten wishes of the
        topic `about`, of `user`, whom the output is for, or of all. Then what is relevant to the task, best first, with
        what decisions taught about `rule` and what is known about `document`. Each piece has its id and why it is
        there; all is fenced as data. The context is recorded: report its outcome with `report_outcome` and its id. Once
        outcomes are reported, a share of learnings is withheld per `unit` (a session, task or document) to measure
        whether they help: `hold_out`, from 0 to 0.5. Units share one namespace: a session and a task of one name are
        one unit.
        """
        room, share = whole(budget, "budget", TOKENS_LIMIT), checked_share(hold_out)
        task = Task(
            checked_text(query, "query", LONG_LIMIT),
            agent=None if agent is None else identifier(agent, "agent"),
            owner=owner(self._store, user, "user"),
            about=None if about is None else identifier(about, "about"),
            rule=None if rule is None else identifier(rule, "rule"),
            document=None if document is None else identifier(document, "document"),
        )
        return ContextComposer(self._store, self._outside).context(
            task,
            budget=room,
            template=Template.of(template),
            unit=None if unit is None else identifier(unit, "unit"),
            hold_out=share,
        )

    @operation(
        "POST /agents/{agent}/prompt",
        policy.RulePolicy.read,
        example={"agent": "coder", "base": "You write Python."},
        errors=(InvalidInput,),
        tool="agent_prompt",
        tools=ToolSet.REVIEWS,
        redact=False,
    )
    def rules(self, agent: Name, *, base: str = "", at: Time | None = None) -> str:
        """Put the rules in force for an agent into its prompt, each at its insertion point; returns the prompt.

        An insertion point is a heading of the prompt, or a mark such as `{{rules:security}}`; `{{rules}}` takes the
        others, which otherwise make a section at the end. Calling it again with its own result changes nothing. With
        `at`, the prompt is as it was at that time.
        """
        checked_text(base, "base", LONG_LIMIT)
        found = Rules(self._store).in_force(identifier(agent, "agent"), None if at is None else moment(at))
        return with_rules(base, found)

    @operation(
        "POST /documents/{document}/drafts",
        policy.DocumentPolicy.extract,
        example={"document": "order-4711"},
        errors=(NotFound,),
        tool="extract_document",
        tools=ToolSet.DOCUMENTS,
        redact=False,
    )
    def extract(self, document: Name | Document) -> DocumentDraft:
        """Extract a document into a draft: header fields and lines, each with confidence and its place on the page.

        What people corrected in earlier documents of the same layout is applied, and confirmed mappings of the
        customer. With a language model, its prompt has the three newest corrections as `hint_examples`.
        """
        return Extractor(self._store, self._outside).extract(identifier(document, "document"))

    @operation(
        "GET /documents/{document}/preview",
        policy.DocumentPolicy.read,
        example={"document": "order-4711"},
        errors=(NotFound,),
    )
    def preview(self, document: Name | Document) -> DocumentDraft:
        """Show what an extraction of a document would give now, without a language model.

        Stores nothing; the draft has no id.
        """
        return Extractor(self._store, self._outside).preview(identifier(document, "document"))

    @operation(
        "GET /layouts/{layout}/examples",
        policy.DocumentPolicy.read,
        example={"layout": "9f86d081884c7d65", "limit": 3},
        tool="hint_examples",
        tools=ToolSet.DOCUMENTS,
    )
    def hint_examples(self, layout: Name, *, limit: Limit = EXAMPLES) -> list[HintExample]:
        """List examples for your own extraction prompt: the newest corrections of a layout, by its fingerprint.

        Each has the beginning of the document's text and the corrected output. After those of exactly this layout come
        those of similar ones.
        """
        name, most = identifier(layout, "layout"), page_limit(limit)
        return hint_examples(self._store, name, Library(self._store).profile(name).family, most)

    @operation("GET /agents-md", policy.LearningPolicy.read, example={"about": "shop"}, errors=(InvalidInput,))
    def agents_md(self, *, about: Name | None = None) -> AgentsSection:
        """Render approved learnings of every kind as a section for AGENTS.md or CLAUDE.md.

        With `about`, those of that project and those of none; without it, all. Replace the section between the same
        markers in the file with `text`, or append it. What makes no sense to somebody who was not there is `left_out`.
        """
        project = None if about is None else identifier(about, "about")
        for_all = {"status": Status.ACTIVE.value, "owner": NONE}
        approved = [record_of(row) for row in LearningTable(self._store).approved(for_all)]
        chosen = [one for one in approved if project is None or one.about in (None, project)]
        elsewhere = {one.about for one in approved if one.about is not None} - {one.about for one in chosen}
        return section(chosen, sorted(elsewhere), self._outside.reader, self._outside.embedder)

    @operation(
        "POST /improvements",
        policy.CorrectionPolicy.apply,
        example={"output": "parse() returns an error on bad input", "query": "what does parse() return?"},
        errors=(InvalidInput,),
        tool="improve_output",
        tools=ToolSet.CORRECTIONS,
        redact=False,
    )
    def improve(
        self,
        output: str,
        *,
        query: str = "",
        about: Name | None = None,
        user: Name | None = None,
        session: Name | None = None,
    ) -> Improved:
        """Apply recorded corrections to a new output, before anybody sees it.

        Up to five corrections with a similarity of at least 0.6; those that are only for `user`, who gets the output,
        come first. The result lists each change with its position and its
        correction. In doubt, and if the database fails, the output stays unchanged.
        """
        checked_text(output, "output", LONG_LIMIT)
        checked_text(query, "query", LONG_LIMIT)
        about = None if about is None else identifier(about, "about")
        user = None if user is None else identifier(user, "user")
        session = None if session is None else identifier(session, "session")
        corrector = Corrector(self._store, self._outside)
        try:
            return corrector.improve(output, query, about, user, session)
        except StoreError as error:
            _LOG.warning("an output stays as it is: %s", error.code)
            return unchanged(output)
