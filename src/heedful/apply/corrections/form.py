"""The edits that a language model returns. Imported only when one is asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from heedful.records.form import AnswerForm


class Edit(AnswerForm):
    correction: Annotated[int, Field(ge=1)]
    passage: str
    replacement: str


class Edits(AnswerForm):
    changes: list[Edit]
