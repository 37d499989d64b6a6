"""Coding agents: the operation that an agent's hook calls with each prompt."""

from __future__ import annotations

from heedful.apply.context import notes
from heedful.capture import Capture
from heedful.capture.conversations.transcripts.typed_text import has_typed_text
from heedful.errors import Conflict, InvalidInput
from heedful.operations import policy
from heedful.operations.operation import operation
from heedful.records.context import PromptResult
from heedful.records.correction import LONG_LIMIT
from heedful.records.learning import AnyAudience, Audience
from heedful.records.names import Name
from heedful.records.outside import Outside
from heedful.store import Store
from heedful.text.checks import checked_text


class Agents:
    """`loop.agents`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation(
        "POST /prompts",
        policy.CorrectionPolicy.record,
        example={
            "prompt": "No, deploy with make release",
            "last_output": "I deployed it with make ship.",
            "query": "Deploy it, please",
            "session": "s1",
            "about": "shop",
            "actor": "dana",
        },
        errors=(Conflict, InvalidInput),
        creates=True,
        redact=False,
    )
    def prompt(
        self,
        prompt: str,
        *,
        last_output: str = "",
        query: str | None = None,
        session: Name | None = None,
        about: Name | None = None,
        actor: Name | None = None,
        audience: AnyAudience = Audience.TEAM,
        id: Name | None = None,
    ) -> PromptResult:
        """Process a prompt to a coding agent, and return the learnings relevant to it.

        If the prompt corrects `last_output`, the correction is recorded, as `capture.message` does. `context` contains
        up to five corrections and three approved learnings of each other kind that are relevant to the prompt, of the
        project `about` and of none, for `actor` and for everyone, fenced as data; without the correction just recorded.
        Notices that agents send under a person's name are ignored.
        """
        if not has_typed_text(checked_text(prompt, "prompt", LONG_LIMIT)):
            return PromptResult("", (), None)
        heard = Capture(self._store, self._outside).message(
            prompt,
            last_output=last_output,
            query=query,
            session=session,
            about=about,
            actor=actor,
            id=id,
            audience=audience,
        )
        just_said = () if heard.correction is None else (heard.correction.id,)
        found = notes(self._store, self._outside, prompt, about, actor, just_said)
        ids = tuple(piece.id for piece in found.pieces)
        return PromptResult(found.text, ids, heard.correction, heard.known)
