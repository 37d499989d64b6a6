"""Without a language model, no stage needs pydantic."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import sys
sys.modules["pydantic"] = None  # as if it were not installed
import heedful

with heedful.open(sys.argv[1]) as loop:
    loop.capture.message("No, it is spelled email, without a hyphen.", last_output="Send an e-mail.", session="s")
    loop.apply.improve("Send an e-mail.")
    loop.apply.context("write to somebody")
    loop.capture.conversation([{"role": "user", "text": "From now on, always run the linter first."}], id="talk")
    loop.learn.mine("talk")
"""


def test_a_loop_without_a_language_model_needs_no_pydantic(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "a.db")], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")
