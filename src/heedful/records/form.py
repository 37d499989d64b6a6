"""The base of forms, which language models fill in. Imported only where one is called."""

from __future__ import annotations

from typing import Annotated

from heedful.errors import MissingExtra

try:
    from pydantic import BaseModel, ConfigDict, Field
except ImportError as error:  # pragma: no cover - the tests have it
    raise MissingExtra("Asking a language model needs pydantic.", hint="Run: pip install 'heedful[llm]'") from error


class AnswerForm(BaseModel):
    """Every field is required, and nothing is converted: `true` is not a number. Optional values are `… | None`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


Share = Annotated[float, Field(ge=0, le=1)]
