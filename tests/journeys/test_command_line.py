"""A person at a terminal: the commands, as they are typed."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import heedful
from heedful import JobRequest
from heedful.edges.cli import main
from heedful.store import migrations
from heedful.testing import sample_acts
from tests.conftest import PostgresServer

Run = Callable[..., Result]


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *words, **options: CliRunner().invoke(main, [str(word) for word in words], **options)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs named `fail` have a handler that fails."""
    monkeypatch.setenv("HEEDFUL_EXTENSIONS", "tests.journeys.extensions:failing")


def _json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_first_day(run: Run) -> None:
    assert "is ready" in run("init").stdout
    recorded = run(
        "record", "MAPPING_CONFIRMED", "--actor", "dana", "--entity", "sku_mapping:ABC-123",
        "--before", '{"sku": "INT-8"}', "--after", '{"sku": "INT-9"}', "--at", "2026-01-05T09:00:00Z",
    )  # fmt: skip
    assert "recorded MAPPING_CONFIRMED" in recorded.stdout
    listed = run("events").stdout
    assert "sku: INT-8 → INT-9" in listed
    assert "sku_mapping:ABC-123" in listed
    assert "activity, suggestions, learnings, mining, documents, exposures, said from 1 events" in run("rebuild").stdout
    assert "queued 0" in run("jobs").stdout
    assert "0 jobs completed" in run("work", "--once").stdout
    doctor = run("doctor")
    assert doctor.exit_code == 0, doctor.output
    assert "up to date" in doctor.stdout


def test_programs_get_json_from_every_command(run: Run) -> None:
    assert _json(run("init", "--json"))["schema_version"] == migrations.latest("sqlite")
    event = _json(run("record", "FIELD_SET", "--id", "x", "--json"))
    assert (event["id"], event["kind"], event["seq"]) == ("x", "FIELD_SET", 1)
    assert _json(run("events", "--json"))["id"] == "x"
    assert _json(run("jobs", "--json"))["counts"]["queued"] == 0
    assert _json(run("work", "--once", "--json")) == {"completed": 0, "failed": 0}
    rebuilt = {
        "org": "default",
        "projections": "activity, suggestions, learnings, mining, documents, exposures, said",
        "events": 1,
    }
    assert _json(run("rebuild", "--json")) == [rebuilt]
    assert {finding["status"] for finding in _json(run("doctor", "--json"))} == {"ok"}


def _all_commands() -> Iterator[tuple[list[str], click.Command]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        yield [name], command
        for inner in command.commands.values() if isinstance(command, click.Group) else ():
            yield [name, str(inner.name)], inner


def test_every_command_shows_an_example_in_its_help(run: Run) -> None:
    for words, command in _all_commands():
        result = run(*words, "--help")
        assert "Example:\n    heedful " in result.output, words
        assert "--json" in result.output or isinstance(command, click.Group), words


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["record"], 2, "A kind or --file is required"),
        (["record", "not a kind"], 2, "NOT_A_KIND"),
        (["record", "FIELD_SET", "--after", "{broken"], 2, "--after is not valid JSON"),
        (["record", "FIELD_SET", "--after", "[1]"], 2, "after must be a dict"),
        (["record", "FIELD_SET", "--entity", "nocolon"], 2, "kind and id"),
        (["record", "FIELD_SET", "--at", "2026-01-05T09:00:00"], 2, "no time zone"),
        (["record", "FIELD_SET", "--at", "noon"], 2, "is not a time"),
        (["record", "--file", "/no/such/file"], 2, "cannot be read"),
        (["record", "FIELD_SET", "--actor", ""], 2, "actor is empty"),
        (["record", "FIELD_SET", "--file", "x"], 2, "cannot be combined"),
        (["record", "FIELD_SET", "--at", "0001-01-01T00:00:00+05:00"], 2, "out of range"),
        (["events", "--since", "yesterday"], 2, "is not a time"),
        (["events", "--since", "99999999999d"], 2, "is not a time"),
        (["events", "--actor", "\udcff"], 2, "invalid Unicode"),
        (["events", "-n", "-1"], 2, "limit is -1"),
        (["jobs", "-n", "9" * 30], 2, "limit is 9"),
        (["--database", "~nobody-here/x.db", "events"], 2, "no home folder"),
        (["jobs", "--retry", "nope"], 4, "no job 'nope'"),
        (["rebuild", "--projection", "nope"], 4, "no projection 'nope'"),
        (["--org", " ", "events"], 2, "org is empty"),
        (["--database", "mysql://x", "events"], 2, "postgresql://"),
        (["--database", "postgresql://127.0.0.1:1/x", "events"], 3, "cannot be reached"),
        (["dance"], 2, "No such command"),
    ],
)
def test_wrong_input_gets_a_reason_and_an_exit_code(run: Run, words: list[str], code: int, says: str) -> None:
    run("init")
    result = run(*words)

    assert result.exit_code == code, result.output
    assert says in re.sub(r"\s+", " ", result.output)
    assert "Traceback" not in result.output


def test_looking_does_not_create_a_database(tmp_path: Path) -> None:
    for command in ("events", "jobs", "rebuild", "doctor"):
        result = CliRunner().invoke(main, ["--database", str(tmp_path / "typo.db"), command])
        assert "heedful init" in result.output
    assert list(tmp_path.glob("typo*")) == []


def test_what_users_wrote_is_shown_as_they_wrote_it(run: Run) -> None:
    run("--org", "[/red]", "record", "FIELD_SET", "--actor", "[red]x[/red]", "--after", '{"a": "[/bold] :smile:"}')

    listed = run("--org", "[/red]", "events").stdout
    assert "[red]x[/red]" in listed
    assert "[/bold] :smile:" in listed
    assert "[/red]: activity" in run("--org", "[/red]", "rebuild").stdout


def test_errors_are_json_too(run: Run) -> None:
    result = run("record", "bad kind", "--json")

    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] == "invalid_kind"


def _file(folder: Path, acts: list[Any]) -> Path:
    file = folder / "acts.ndjson"
    file.write_text("\n".join(act if isinstance(act, str) else json.dumps(act, default=str) for act in acts))
    return file


def test_a_file_of_acts_is_recorded(run: Run, tmp_path: Path) -> None:
    file = _file(tmp_path, list(sample_acts(200)))

    assert _json(run("record", "--file", file, "--json")) == {"recorded": 200}
    assert "recorded 200 events" in run("record", "--file", "-", input=file.read_bytes()).stdout
    assert len(run("events", "--json", "--all").stdout.splitlines()) == 400


def test_a_file_with_bad_lines_is_refused_whole(run: Run, tmp_path: Path) -> None:
    good = {"kind": "FIELD_SET"}
    file = _file(tmp_path, [good, "{broken", '"text"', {"actor": "x"}, {"kind": "x y"}, {**good, "colour": 1}, good])

    result = run("record", "--file", file)

    assert result.exit_code == 2
    assert "5 lines are invalid; nothing was recorded" in result.output
    for line in (2, 3, 4, 5, 6):
        assert f"line {line}:" in result.output
    assert run("events", "--json", "--all").stdout == ""


def test_what_is_listed_as_json_can_be_recorded_elsewhere(run: Run, tmp_path: Path) -> None:
    run("record", "--file", _file(tmp_path, list(sample_acts(50))))
    exported = run("events", "--json", "--all").stdout
    copy = tmp_path / "copy.ndjson"
    copy.write_text(exported)

    for _ in range(2):
        assert _json(run("--org", "copy", "record", "--file", copy, "--json")) == {"recorded": 50}

    assert run("--org", "copy", "events", "--json", "--all").stdout == exported.replace(
        '"org":"default"', '"org":"copy"'
    )


def test_events_are_filtered(run: Run) -> None:
    run("record", "FIELD_SET", "--actor", "dana", "--layout", "a", "--entity", "f:1")
    run("record", "FIELD_SET", "--actor", "lee", "--at", "2020-01-01T00:00:00+01:00")
    run("record", "CUSTOMER_SELECTED", "--actor", "lee")

    def found(*words: str) -> list[int]:
        return [json.loads(line)["seq"] for line in run("events", "--json", *words).stdout.splitlines()]

    assert found() == [3, 2, 1]
    assert found("-n", "1") == [3]
    assert found("--all") == [1, 2, 3]
    assert found("--kind", "FIELD_SET") == [2, 1]
    assert found("--actor", "lee", "--since", "1d") == [3]
    assert found("--until", "2021-01-01T00:00:00Z") == [2]
    assert found("--entity", "f:1") == [1]
    assert found("--layout", "a") == [1]
    assert "No events match" in run("events", "--kind", "NEVER").stdout


def test_rebuild_can_serve_every_organisation(run: Run) -> None:
    for org in ("acme", "globex"):
        run("--org", org, "record", "FIELD_SET")

    assert [one["org"] for one in _json(run("rebuild", "--all-orgs", "--json"))] == ["acme", "globex"]


def test_the_demo_plays_every_stage(run: Run) -> None:
    played = run("demo").stdout
    for stage in ("capture", "store", "work", "learn", "converse", "measure"):
        assert f"\n{stage} " in played
    assert "the same" in played
    assert "heedful demo --serve" in played
    told = _json(run("demo", "--json"))
    assert told["rebuilt"] is True
    assert told["improved"] == "parse() returns nil on bad input."


@pytest.mark.usefixtures("failing")
def test_the_doctor_names_what_is_wrong(run: Run, database: str, tmp_path: Path) -> None:
    missing = run("--database", tmp_path / "none.db", "doctor")
    assert missing.exit_code == 1
    assert "heedful init" in missing.stdout

    run("init")
    with heedful.open(database, org="acme") as loop:
        loop.capture.event("FIELD_SET")
        loop.jobs.put(JobRequest("fail", max_attempts=1))
        with loop.store.transaction() as transaction:
            transaction.execute("update projection set live = 0 where org_id = 'acme'", {})

        def fail(event: heedful.Event) -> None:
            raise ValueError("subscriber trouble")

        loop.subscription(fail, name="mirror").deliver_pending()
    run("work", "--once")
    ill = run("doctor")

    assert ill.exit_code == 0
    assert "1 jobs of acme were given up" in ill.stdout
    assert "activity of acme is behind its log" in ill.stdout
    assert "mirror of acme fails since event 1 of 1" in ill.stdout


@pytest.mark.usefixtures("failing")
def test_jobs_are_shown_and_retried(run: Run, database: str) -> None:
    run("init")
    with heedful.open(database) as loop:
        job = loop.jobs.put(JobRequest("fail", max_attempts=1))
    assert "1 failed" in run("work", "--once").stdout
    listed = run("jobs", "--state", "dead_letter").stdout
    assert "no luck" in listed
    assert job.id in listed
    assert "queued again" in run("jobs", "--retry", job.id).stdout
    assert _json(run("jobs", "--json"))["jobs"][0]["state"] == "queued"


def test_the_doctor_misses_tables(tmp_path: Path) -> None:
    database = tmp_path / "torn.db"
    CliRunner().invoke(main, ["--database", str(database), "init"])
    with sqlite3.connect(database) as connection:
        connection.execute("drop table counter")
    connection.close()

    result = CliRunner().invoke(main, ["--database", str(database), "doctor"])

    assert result.exit_code == 1
    assert "Tables are missing: counter" in result.output


def test_python_dash_m_is_the_command_line() -> None:
    result = subprocess.run([sys.executable, "-m", "heedful", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"heedful {heedful.__version__}\n"


def test_a_reader_that_hangs_up_is_no_disaster(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    with heedful.open(database) as loop:
        loop.capture.events(sample_acts(5000))
    result = subprocess.run(
        f"{sys.executable} -m heedful --database {database} events --json --all | head -n 1",
        shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(result.stdout)["seq"] == 1
    assert "Traceback" not in result.stderr


def test_postgresql_passwords_are_not_shown(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgres.new_database().replace("postgres@", "postgres:secret@")
    result = CliRunner().invoke(main, ["--database", url, "init"])

    assert result.exit_code == 0
    assert "secret" not in result.output


EXTENSION = """
import os, time, pathlib
from heedful import Extension

def slow(loop, job):
    folder = pathlib.Path(os.environ["NOTES"])
    (folder / f"started-{job.payload['n']}-{os.getpid()}").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    return {"pid": os.getpid()}

extension = Extension("slow", handlers={"slow": slow})
"""


@pytest.fixture
def worker_process(database: str, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    (tmp_path / "slow_extension.py").write_text(EXTENSION)
    env = {
        **os.environ,
        "HEEDFUL_DATABASE": database,
        "HEEDFUL_EXTENSIONS": "slow_extension",
        "PYTHONPATH": str(tmp_path),
        "NOTES": str(tmp_path),
    }

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "heedful", "work", "--json", *words],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    return start


def _await(condition: Callable[[], Any]) -> None:
    """Wait for another process; fails after half a minute."""
    import time

    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within half a minute")


@pytest.mark.slow
def test_a_worker_told_to_stop_finishes_what_it_has_in_hand(
    database: str, tmp_path: Path, worker_process: Callable[..., subprocess.Popen[str]]
) -> None:
    with heedful.open(database) as loop:
        for n in range(3):
            loop.jobs.put(JobRequest("slow", {"n": n}))
        process = worker_process("--threads", "2")
        _await(lambda: len(list(tmp_path.glob("started-*"))) == 2)

        process.send_signal(signal.SIGTERM)
        (tmp_path / "go").touch()
        output, _ = process.communicate(timeout=300)

        assert process.returncode == 0
        assert json.loads(output.splitlines()[-1]) == {"completed": 2, "failed": 0}
        counts = loop.jobs.count_by_state()
        assert (counts[heedful.JobState.COMPLETED], counts[heedful.JobState.QUEUED]) == (2, 1)


@pytest.mark.slow
def test_a_killed_workers_job_is_taken_over_by_another_process(
    database: str, tmp_path: Path, worker_process: Callable[..., subprocess.Popen[str]]
) -> None:
    with heedful.open(database) as loop:
        job = loop.jobs.put(JobRequest("slow", {"n": 0}))
        victim = worker_process("--lease", "1")
        _await(lambda: list(tmp_path.glob("started-*")))
        victim.kill()
        victim.communicate()
        (tmp_path / "go").touch()

        other = worker_process("--lease", "1")
        _await(lambda: loop.jobs.get(job.id).state is heedful.JobState.COMPLETED)
        other.send_signal(signal.SIGINT)
        other.communicate(timeout=300)

        assert loop.jobs.get(job.id).result == {"pid": other.pid}
        assert loop.jobs.get(job.id).attempts == 2
