"""heedful-client is the same source in a small wheel: it speaks to a server, and needs no model."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from heedful.edges.server import Server
from heedful.settings import Settings
from tests.serving import Served, serving

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "packaging" / "client"
INCLUDED = tomllib.loads((CLIENT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
LEFT_OUT = {"__main__.py", "edges", "providers", "testing"}
LARGEST = 23_500_000  # bytes, with all it depends on
POST = """
import sys
import heedful

with heedful.Client(sys.argv[1], sys.argv[2]) as client:
    recorded = client.capture.event("MAPPING_CONFIRMED", actor="dana", after={"sku": "INT-9"})
    assert client.event(recorded.id).after == {"sku": "INT-9"}
    assert client.apply.context("write to somebody").text is not None
try:
    heedful.open("own.db")
except heedful.HeedfulError as error:
    assert error.code == "missing_extra", error.code
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(Server(Settings(str(tmp_path / "heedful.db")))) as running:
        yield running


def test_every_room_is_in_the_client_or_left_out_on_purpose() -> None:
    rooms = {path.name for path in (ROOT / "src" / "heedful").iterdir() if path.name != "__pycache__"}
    named = {Path(path).name for path in INCLUDED["force-include"]}

    assert named | LEFT_OUT == rooms
    assert not named & LEFT_OUT


@pytest.mark.slow
def test_the_wheel_alone_posts_to_a_server_and_stays_small(served: Served, tmp_path: Path) -> None:
    wheels, home = tmp_path / "wheels", tmp_path / "venv"
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, CLIENT)
    venv.create(home, with_pip=True)
    python, target = home / "bin" / "python", tmp_path / "installed"
    (wheel,) = wheels.iterdir()
    _run(python, "-m", "pip", "install", "--quiet", "--no-compile", "--target", target, wheel)

    _run(python, "-c", f"import sys; sys.path.insert(0, {str(target)!r})\n{POST}", served.url, served.key())

    assert served.loop.org("acme").log.page(kind="MAPPING_CONFIRMED").items
    installed = {path.name for path in target.iterdir()}
    assert not {"numpy", "onnxruntime", "rapidfuzz", "phonenumbers", "click", "rich"} & installed
    assert sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) < LARGEST


def _run(*words: object) -> None:
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd="/")
    assert ran.returncode == 0, ran.stderr
