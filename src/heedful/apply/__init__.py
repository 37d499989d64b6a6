"""Apply: what was learned goes into the next prompt and the next output. So far: what people decided about a rule's
suggestions, and corrections."""

from __future__ import annotations

import logging

from heedful.apply.corrector import Corrector, unchanged
from heedful.apply.retrieval import Retrieval
from heedful.apply.rules import RuleContexts
from heedful.errors import InvalidInput, StoreError
from heedful.model import policy
from heedful.model.context import RuleContext
from heedful.model.correction import LONG_LIMIT, Category, Improved, Match
from heedful.model.learning import Status
from heedful.model.names import Limit, Name, identifier, page_limit
from heedful.model.operation import operation
from heedful.model.outside import Outside
from heedful.model.text import checked_text
from heedful.model.tier import Tier
from heedful.store import Store
from heedful.store.learnings import OWN_OR_NO_SCOPE

_LOG = logging.getLogger("heedful.apply")


class Apply:
    """`loop.apply`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation(
        "GET /rules/{rule}/context",
        policy.Contexts.read,
        example={"rule": "no-passive"},
        tier=Tier.TEAMS,
        tool="rule_context",
    )
    def rule_context(self, rule: Name) -> RuleContext:
        """Tell what people's decisions taught about a rule: patterns, rates, calibration, and a text for the prompt.

        Put `prompt` into the prompt that makes the next suggestion for this rule, and ask `confidence` (or read
        `calibration`) for what a stated confidence has really meant. A rule that nobody judged has an empty context.
        """
        return RuleContexts(self._store).of(identifier(rule, "rule"))

    @operation(
        "GET /corrections:search",
        policy.Corrections.read,
        example={"query": "what does parse() return?", "limit": 5},
        errors=(InvalidInput,),
        tool="search_corrections",
    )
    def search(
        self,
        query: str,
        *,
        category: Category | None = None,
        status: Status | None = Status.ACTIVE,
        about: Name | None = None,
        limit: Limit = 10,
    ) -> list[Match]:
        """Find corrections that matter for a question, a task or an output, the best first.

        Call it before you answer: what people corrected in similar situations should not have to be corrected again.
        With `about`, those of that topic and those of none. Words, names and meaning all count. `relevance` is
        similarity times confidence, recency and success.
        """
        wanted = {
            "category": None if category is None else Category.of(category).value,
            "status": None if status is None else Status.of(status).value,
            OWN_OR_NO_SCOPE: None if about is None else identifier(about, "about"),
        }
        checked_text(query, "query", LONG_LIMIT)
        found = Retrieval(self._store, self._outside.embedder).corrections(query, page_limit(limit), wanted)
        self._store.tell_matched(found)
        return found

    @operation(
        "POST /improvements",
        policy.Corrections.apply,
        example={"output": "parse() returns an error on bad input", "query": "what does parse() return?"},
        errors=(InvalidInput,),
        tool="improve_output",
    )
    def improve(
        self, output: str, *, query: str = "", about: Name | None = None, session: Name | None = None
    ) -> Improved:
        """Apply what people corrected before to a new output, before anybody sees it.

        Up to five corrections of a relevance of 0.6 or more. The answer tells what was changed, where, and by which
        correction. In doubt, and if the database fails, the output stays as it is.
        """
        checked_text(output, "output", LONG_LIMIT)
        checked_text(query, "query", LONG_LIMIT)
        about = None if about is None else identifier(about, "about")
        session = None if session is None else identifier(session, "session")
        corrector = Corrector(self._store, self._outside.embedder, self._outside.language)
        try:
            return corrector.improve(output, query, about, session)
        except StoreError as error:
            _LOG.warning("an output stays as it is: %s", error.code)
            return unchanged(output)
