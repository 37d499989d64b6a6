"""Coding agents with a server behind them: the same operations, by a client."""

from __future__ import annotations

import heedful
from tests.serving import Served


def test_a_client_answers_agents_as_a_loop_does(served: Served) -> None:
    loop = served.loop.org("acme")
    with heedful.Client(served.url, served.key()) as client:
        heard = client.agents.prompt(
            "Actually it should return nil, not an error",
            last_output="parse() returns an error when the input is empty.",
            about="shop",
            id="m-1",
        )
        assert heard.correction == loop.govern.learnings.get("m-1")
        question = "does parse() return an error when the input is empty?"
        assert client.agents.prompt(question, about="shop") == loop.agents.prompt(question, about="shop")
        assert client.agents.prompt(question, about="shop").learnings == ("m-1",)

        loop.govern.learnings.approve("m-1")
        section = client.apply.agents_md(about="shop")
        assert section == loop.apply.agents_md(about="shop")
        assert "- parse() returns nil when the input is empty." in section.text
