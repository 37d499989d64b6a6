"""An extension for tests, found by its name."""

from __future__ import annotations

import heedful


def _fail(loop: heedful.Loop, job: heedful.Job) -> None:
    raise ValueError("no luck")


failing = heedful.Extension("failing", handlers={"fail": _fail})
