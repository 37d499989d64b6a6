"""What users may rely on: names, error codes, settings, and that importing costs nothing."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import heedful
from heedful import errors
from heedful.errors import HeedfulError, Misconfigured
from heedful.settings import Settings


def test_the_public_names() -> None:
    assert heedful.__all__ == [
        "Category", "Client", "Conversation", "Correction", "Count", "CountingProjection", "Counts", "Decision",
        "Entity", "Evaluation", "Event", "Extension", "HeedfulError", "Insight", "InsightCategory", "Job", "JobRequest",
        "JobState", "Loop", "Mined", "Pattern", "Projection", "Proposal", "Reaction", "Remark", "Review", "Role",
        "Rule", "Settings", "aio", "open", "organisations", "restore", "salvage",
    ]  # fmt: skip
    for name in heedful.__all__:
        assert getattr(heedful, name)
    assert set(heedful.__all__) <= set(dir(heedful))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        heedful.nonsense  # noqa: B018


def test_the_version_is_the_one_that_was_installed() -> None:
    assert heedful.__version__ == version("heedful")


def _all_errors(kind: type[HeedfulError]) -> list[type[HeedfulError]]:
    return [kind, *(deeper for child in kind.__subclasses__() for deeper in _all_errors(child))]


def test_every_error_is_drawn_in_the_tree_with_its_code() -> None:
    drawing = errors.__doc__ or ""
    codes = [kind.code for kind in _all_errors(HeedfulError)[1:]]

    assert len(set(codes)) == len(codes)
    for kind in _all_errors(HeedfulError)[1:]:
        line = next(line for line in drawing.splitlines() if f" {kind.__name__} " in line)
        assert kind.code in line.split()


@pytest.mark.parametrize(
    "module", ["sqlite3", "psycopg", "click", "rich", "orjson", "platformdirs", "uuid_utils", "numpy"]
)
def test_importing_heedful_imports_nothing_heavy(module: str) -> None:
    code = f"import sys, heedful; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("module", ["sqlite3", "psycopg", "rich.console", "heedful.loop", "platformdirs"])
def test_showing_the_version_imports_nothing_heavy(module: str) -> None:
    code = (
        "import sys; sys.argv = ['heedful', '--version']\n"
        "from heedful.edges.cli import main\n"
        f"try: main()\nexcept SystemExit: sys.exit({module!r} in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stdout == f"heedful {heedful.__version__}\n"


def test_settings_come_from_the_environment() -> None:
    settings = Settings.read(
        {
            "HEEDFUL_DATABASE": "x.db",
            "HEEDFUL_ORG": "acme",
            "HEEDFUL_DURABILITY": "normal",
            "HEEDFUL_EXTENSIONS": "a.b:c, d",
        }
    )
    assert settings == Settings("x.db", "acme", "normal", ("a.b:c", "d"))


def test_without_settings_the_database_is_in_the_users_data_folder() -> None:
    settings = Settings.read({})

    assert settings.database.endswith("heedful.db")
    assert (settings.org, settings.durability, settings.extensions) == ("default", "full", ())


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(Misconfigured, match="HEEDFUL_DURABILITY is 'sometimes'"):
        Settings.read({"HEEDFUL_DURABILITY": "sometimes"})


@pytest.mark.parametrize("name", ["no.such.module:x", "heedful:nothing", "heedful.errors:Conflict"])
def test_an_extension_that_cannot_be_loaded_is_named(name: str, tmp_path: object) -> None:
    settings = Settings(f"{tmp_path}/a.db", extensions=(name,))
    with pytest.raises(Misconfigured, match=name):
        heedful.open(settings=settings)


def test_without_the_driver_postgresql_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(errors.MissingExtra, match=r"pip install 'heedful\[postgres\]'"):
        heedful.open("postgresql://localhost/x")


UNUSED = """
import sys, heedful
with heedful.open(sys.argv[1]) as loop:
    list(loop.events())
    early = {name for name in sys.argv[2:] if name in sys.modules}
    loop.capture, loop.apply, loop.govern
    missing = {name for name in sys.argv[2:5] if name not in sys.modules}
sys.exit(f"too early: {early}, missing: {missing}" if early or missing else 0)
"""


def test_a_stage_is_imported_when_it_is_first_used(tmp_path: object) -> None:
    stages = ["heedful.capture", "heedful.apply", "heedful.govern"]
    heavy = ["heedful.text.contradictions", "numpy", "onnxruntime", "rapidfuzz", "phonenumbers", "pydantic", "rich"]
    run = [sys.executable, "-c", UNUSED, f"{tmp_path}/a.db", *stages, *heavy]

    assert subprocess.run(run, check=False, capture_output=True, text=True).stderr == ""
