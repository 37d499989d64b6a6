"""Every example in the docs runs, and nothing that users can set or call is missing from the reference."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import heedful
from heedful import errors
from heedful.edges.cli import main
from heedful.edges.server import Server
from heedful.errors import HeedfulError
from heedful.settings import Settings
from heedful.wire import Wire, wires
from tests.llm_server import Received, Reply, chat, llm_server, message, message_stream
from tests.serving import serving

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = (ROOT / "docs" / "reference.md").read_text()
_FENCE = re.compile(r"^```(python|sh)\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", re.M | re.S)


SERVER = "http://127.0.0.1:8321"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the docs say that `heedful serve` runs, one does; and the key is where they look for it."""
    settings = Settings(database=str(tmp_path / "served.db"), org="acme", rate_limit=0)
    with serving(Server(settings, worker=False)) as served:
        monkeypatch.setenv("HEEDFUL_KEY", served.key())
        yield served.url


@pytest.fixture
def language_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where the SDKs of the adapters look for a server, one answers."""
    with llm_server() as server:
        server.respond(lambda asked: _answered(asked, "It returns nil."))
        for name, url in {"OPENAI": f"{server.url}/v1", "ANTHROPIC": server.url}.items():
            monkeypatch.setenv(f"{name}_BASE_URL", url)
            monkeypatch.setenv(f"{name}_API_KEY", "k")
        yield


def _answered(asked: Received, text: str) -> Reply:
    if not asked.path.endswith("/messages"):
        return chat(text)
    return message_stream(text) if asked.body.get("stream") else message(text)


LONG = "how-to.md"  # a hundred commands


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow if page.name == LONG else ()) for page in PAGES],
    ids=lambda page: page.name,
)
def test_the_examples_of_a_page_run_from_top_to_bottom(
    page: Path, tmp_path: Path, server: str, language_model: None, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for number, (language, written, shown) in enumerate(_FENCE.findall(page.read_text()), 1):
        source = written.replace(SERVER, server)
        if language == "python":
            capsys.readouterr()
            _in_folder(tmp_path, compile(source, f"{page.name}, example {number}", "exec"), names)
            printed = capsys.readouterr().out
        else:
            printed = _in_shell(source, tmp_path)
        assert not shown or _lines(printed) == _lines(shown), f"{page.name}, example {number} prints:\n{printed}"
    for value in names.values():
        if isinstance(value, heedful.Loop | heedful.Client):
            value.close()


def _in_folder(folder: Path, code: object, names: dict[str, object]) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        exec(code, names)  # type: ignore[arg-type]
    finally:
        os.chdir(before)


def _lines(text: str) -> list[str]:
    """Tables are filled with spaces to the right, which a page does not show."""
    return [line.rstrip() for line in text.strip().splitlines()]


def _in_shell(source: str, folder: Path) -> str:
    """What installs, builds or needs a server of yours is marked, or begins with pip or make."""
    lines = [
        line for line in source.splitlines() if "not run here" not in line and not line.startswith(("pip", "make"))
    ]
    script = "\n".join(["set -e", *lines])
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{source}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.mark.parametrize("command", main.list_commands(click.Context(main)))
def test_every_command_is_in_the_reference(command: str) -> None:
    assert f"`heedful {command}`" in REFERENCE


@pytest.mark.parametrize("wire", wires(), ids=lambda wire: wire.id)
def test_every_operation_is_in_the_reference(wire: Wire) -> None:
    assert f"| `{wire.operation.verb} /v1{wire.operation.path}` | {wire.operation.summary} |" in REFERENCE
    assert wire.operation.tool is None or f"`{wire.operation.tool}`" in REFERENCE


def test_every_metric_is_in_the_reference() -> None:
    source = (ROOT / "src" / "heedful" / "edges" / "api" / "metrics.py").read_text()
    for name in re.findall(r'"(heedful_\w+)"', source):
        assert f"`{name}`" in REFERENCE or f"`{name}_total`" in REFERENCE, name


def test_every_setting_is_in_the_reference() -> None:
    source = (ROOT / "src" / "heedful" / "settings.py").read_text()
    for name in set(re.findall(r"HEEDFUL_[A-Z_]+", source)):
        assert f"`{name}`" in REFERENCE, name


def test_every_error_code_is_in_the_reference() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HeedfulError)]
    for kind in kinds:
        assert kind is HeedfulError or f"`{kind.code}`" in REFERENCE, kind.code


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_a_page_names_exist(page: str) -> None:
    files = {
        str(file.relative_to(ROOT))
        for folder in ("src", "tests", "training", "benchmarks")
        for file in (ROOT / folder).rglob("*.py")
    }
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / page).read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


def test_the_tree_in_the_architecture_is_the_tree() -> None:
    drawn = re.search(r"```\nsrc/heedful/\n(.*?)```", (ROOT / "docs" / "architecture.md").read_text(), re.S)
    assert drawn is not None
    named = {line.split()[0].rstrip("/") for line in drawn[1].splitlines()}
    real = {path.name for path in (ROOT / "src" / "heedful").iterdir()} - {"__pycache__", "py.typed", "__main__.py"}
    assert named == real
