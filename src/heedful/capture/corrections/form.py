"""The form that a language model fills in about a message. Imported only when one is asked."""

from __future__ import annotations

from heedful.records.correction import Category
from heedful.records.form import AnswerForm, Share


class Verdict(AnswerForm):
    is_correction: bool
    understood: str
    wrong: str
    right: str
    fixed: str
    why: str
    always: bool
    category: Category
    severity: Share
    confidence: Share
    occasions: list[str]
