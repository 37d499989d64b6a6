"""The forms that a language model fills in about reviews. Imported only with a model: pydantic is an extra."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from heedful.records.form import AnswerForm


class Classified(AnswerForm):
    classification: Literal["generalizable_high", "generalizable_low", "edge_case", "ambiguous", "positive"]
    confidence: float = Field(ge=0, le=1)
    rationale: str
    alike: list[int]


class RuleText(AnswerForm):
    one_concern: bool
    members: list[int]
    rule: str
    type: Literal["GUIDELINE", "CONSTRAINT", "NEGATIVE_EXAMPLE", "POSITIVE_EXAMPLE"]
