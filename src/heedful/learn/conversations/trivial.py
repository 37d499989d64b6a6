"""Advice that everybody has heard: `Write tests.`, `Add more comments`. Nobody needs to be told again."""

from __future__ import annotations

import re

_FILLER = re.compile(
    r"\b(?:always|please|more|some|good|proper|properly|better|clear|clearly|the|a|an|your|our|all|of|to|for|that|"
    r"remember|make|sure|be|try|should|must|you|we|also|just|everywhere|in|code|it|and|very|well|gracefully|"
    r"carefully|enough|regularly|often)\b"
)
_NOT_WORDS = re.compile(r"[^a-z ]+")
_TRIVIAL = re.compile(
    r"(?:(?:write|add|create|have|include|use|run|do) )?(?:unit |integration |automated |end end )?(?:tests?|"
    r"testing|comments?|logging|logs?|documentation|docs|types?|error handling|version control|design patterns?|"
    r"(?:meaningful|descriptive|consistent)? ?(?:variable )?names?|naming|validation|best practices?|linting|"
    r"formatting|code reviews?|reviews?)|follow (?:best practices?|conventions?|standards?|coding standards?|"
    r"style guide|guidelines?|instructions?)|(?:handle|catch|check|log|fix) (?:errors?|exceptions?|edge cases?|"
    r"bugs?)|(?:keep|stay|write|readable|clean|simple|maintainable)(?: (?:clean|simple|readable|maintainable|dry|"
    r"short|small|functions?))*|(?:refactor|document|comment|test|review|validate|optimi[sz]e|improve|update|fix|"
    r"read|understand)(?: (?:inputs?|codebase|things|performance|quality|changes?|docs|documentation|bugs?|"
    r"tests?))?|(?:don t|do not|not|avoid|never) (?:repeat yourself|duplicat\w+|magic numbers?|bugs?|errors?)|"
    r"avoid (?:duplication|complexity|bugs|errors)"
)


def trivial(text: str) -> bool:
    """Whether that is all it says; a reason, a name or a condition makes it more."""
    text = text[:200].lower()
    text = " ".join(_NOT_WORDS.sub(" ", text.replace("'", " ").replace("’", " ")).split())
    if len(text) > 80:
        return False
    text = " ".join(_FILLER.sub(" ", text).split())
    return not text or bool(_TRIVIAL.fullmatch(text))
