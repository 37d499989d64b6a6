"""A conversation with an AI, for chat applications and agents: pass it each output and each message, and it detects,
records and applies corrections.

    chat = acme.conversation(session="s1")
    chat.context("what does parse() return?").text
    chat.output("The function returns an error", query="what does parse() return?")
    chat.message("Actually it should return nil, not an error")
    chat.improve("parse() returns an error on bad input").text
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from heedful.apply import Apply
from heedful.capture import Capture
from heedful.errors import HeedfulError, InvalidInput
from heedful.records.clock import Time
from heedful.records.context import Context
from heedful.records.correction import LONG_LIMIT, Correction, MessageResult
from heedful.records.improved import Improved
from heedful.records.learning import AnyAudience, Audience
from heedful.text.checks import checked_text

_BUDGET = 800  # tokens
_LOG = logging.getLogger("heedful.conversation")


@dataclass(frozen=True, slots=True)
class ChatTurn:
    output: str = ""
    query: str = ""
    context: str | None = None
    """The id of the context that the output was made with."""


class Conversation:
    """Stores only the last output and its query. Use one per chat; not thread-safe."""

    def __init__(
        self,
        capture: Capture,
        apply: Apply,
        *,
        session: str | None,
        about: str | None,
        actor: str | None,
        audience: AnyAudience = Audience.TEAM,
    ) -> None:
        self._capture = capture
        self._apply = apply
        self._session = session
        self._about = about
        self._actor = actor
        self._audience = audience
        self._last = ChatTurn()
        self.heard: MessageResult | None = None
        """The result of the last message."""

    def __repr__(self) -> str:
        return f"<heedful.Conversation session={self._session!r} about={self._about!r}>"

    def context(self, query: str = "", *, agent: str | None = None, budget: int = _BUDGET) -> Context:
        """Compose the context for the next output. If a person corrects that output, this was the context's failure."""
        query = query or self._last.query
        given = self._apply.context(
            query, agent=agent, about=self._about, user=self._actor, unit=self._session, budget=budget
        )
        self._last = ChatTurn(query=query, context=given.id)
        return given

    def output(self, text: str, *, query: str = "") -> None:
        """Set the AI's last output and its query: the next message may correct it."""
        checked_text(text, "text", LONG_LIMIT)
        checked_text(query, "query", LONG_LIMIT)
        self._last = ChatTurn(text, query or self._last.query, self._last.context)

    def message(self, text: str, *, actor: str | None = None, at: Time | None = None) -> Correction | None:
        """Process a person's message. If it corrects the last output, the correction is recorded and returned."""
        last = self._last
        who, where = actor or self._actor, {"session": self._session, "about": self._about}
        self.heard = self._capture.message(
            text,
            last_output=last.output,
            query=last.query or None,
            context=last.context,
            actor=who,
            audience=self._audience,
            at=at,
            **where,
        )
        # If it is no correction, the message is the query of the next output.
        self._last = last if self.heard.detection.is_correction else ChatTurn(query=text)
        return self.heard.correction

    def improve(self, output: str, *, query: str = "") -> Improved:
        """Apply earlier corrections to a new output, which becomes the last output. If anything fails, it is
        unchanged."""
        query = query or self._last.query
        try:
            improved = self._apply.improve(
                output, query=query, about=self._about, user=self._actor, session=self._session
            )
        except InvalidInput:
            raise
        except HeedfulError as error:
            _LOG.warning("improve failed and the output is unchanged: %s", error.code)
            improved = Improved(output, output, (), (), "local")
        self.output(improved.text, query=query)
        return improved
