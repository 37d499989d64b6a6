"""A damaged database is called damaged, by every command, without a word of what is stored in it."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import heedful
from heedful import errors
from heedful.edges.cli import main
from heedful.edges.worker import Worker
from heedful.testing import sample_acts, sample_fixes
from tests.typed import correction_of

SAID = "xylophone"  # in everything that is stored here
READS = (
    ("events", "--json", "--all"),
    ("events",),
    ("stats", "--json"),
    ("context", "--rule", "no-passive", "--json"),
    ("corrections", "list", "--json"),
    ("corrections", "search", f"{SAID} deploy", "--json"),
    ("jobs", "--json"),
    ("rebuild", "--json"),
)
_HEADER = 100  # bytes of which many say nothing about the content: versions, counters, unused room


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "a.db"
    with heedful.open(path) as loop:
        for act in sample_acts(80):
            loop.capture.event(**{**act, "meta": {"note": SAID}})
        loop.capture.fixes({**fix, "comment": SAID} for fix in sample_fixes(40))
        for number in range(12):
            loop.capture.correction(f"{SAID} ship {number}", f"{SAID} release", query="deploy?", actor=SAID)
        Worker(loop).run_all()
        loop.store.database.scrub(thoroughly=True)
    return path


def _run(path: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["--database", str(path), *words])


def _damaged(sound: Path, folder: Path, seed: int) -> Path:
    """A copy in which some bytes are not what they were: single bits, a stretch of noise, an empty page, or its end."""
    random_ = random.Random(seed)
    path = folder / "a.db"
    content = bytearray(sound.read_bytes())
    place = random_.randrange(_HEADER, len(content))
    match seed % 5:
        case 0:
            content[place] ^= 1 << random_.randrange(8)
        case 1:
            content[place : place + 40] = random_.randbytes(40)
        case 2:
            page = random_.randrange(1, len(content) // 8_192) * 8_192
            content[page : page + 8_192] = bytes(8_192)
        case 3:
            at = content.find(SAID.encode(), place)  # in what people said
            content[at + 3 if at > 0 else place] ^= 0x80
        case 4:
            del content[random_.randrange(8_192, len(content)) :]
    path.write_bytes(content)
    shutil.copy(f"{sound}.secret", f"{path}.secret")
    return path


@pytest.mark.parametrize("seed", range(30))
def test_damage_is_found_and_told_and_nothing_is_quoted(
    sound: Path, undamaged: dict[tuple[str, ...], str], tmp_path: Path, seed: int
) -> None:
    path = _damaged(sound, tmp_path, seed)

    doctor = _run(path, "doctor", "--json")
    assert SAID not in doctor.output
    assert doctor.exception is None or isinstance(doctor.exception, SystemExit), doctor.exception
    others: list[tuple[str, ...]] = []
    for words in READS:
        result = _run(path, *words)
        assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
        assert "Traceback" not in result.output
        if result.exit_code:
            assert SAID not in result.stderr, words
            assert result.exit_code in (1, 3, 4), (words, result.output)
        if result.exit_code or _told(result) != undamaged[words]:
            others.append(words)
    if others:
        assert doctor.exit_code == 1, f"it was called sound, and these read otherwise: {others}"


@pytest.fixture(scope="module")
def undamaged(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], str]:
    path = tmp_path_factory.mktemp("undamaged") / "a.db"
    shutil.copy(sound, path)
    shutil.copy(f"{sound}.secret", f"{path}.secret")
    doctor = _run(path, "doctor")
    assert doctor.exit_code == 0, doctor.output
    assert "events are as they were written" in doctor.output
    results = {words: _run(path, *words) for words in READS}
    assert all(result.exit_code == 0 for result in results.values()), [one.output for one in results.values()]
    return {words: _told(result) for words, result in results.items()}


def _told(result: Result) -> str:
    """Without what depends on how old a correction is by now."""
    return re.sub(r'"(recency|relevance|confidence_now)":[-0-9.e]+', "", result.stdout)


def _changed(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("drop trigger if exists feedback_event_is_append_only")
    connection.execute(sql)
    connection.commit()
    connection.close()


CHANGES: dict[str, tuple[str, str]] = {
    "a word in the log": ("update feedback_event set after = after || ' ' where seq = 40", "log"),
    "an actor": ("update feedback_event set actor = 'mallory' where seq = 3", "log"),
    "an event that is gone": ("delete from feedback_event where seq = 41", "log"),
    "the hours": ("update log_hour set last_seq = 5", "log"),
    "a counter": ("update counter set value = value + 1 where key = (select min(key) from counter)", "derived"),
    "a tally": ("update tally set skipped = skipped + 1 where name = 'rule'", "derived"),
    "a tally that is gone": ("delete from tally where name = 'pattern'", "derived"),
    "a learning": ("update learning set confidence = 0.5 where no = (select min(no) from learning)", "derived"),
    "the number of learnings": ("update org set learnings = learnings + 1", "derived"),
    "the full text": ("update posting set entries = substr(entries, 1, 2) || x'01' || substr(entries, 4)", "derived"),
    "the full text, cut": ("update posting set entries = substr(entries, 1, 2)", "log"),
    "a vector": ("update learning_vector set vector = zeroblob(384) where version = 3", "log"),
    "a number that is a text": ("update api_key set created_at = 'soon'", "integrity"),
    "a text that is none": ("update feedback_event set layout = cast(x'ff' as text) where seq = 9", "integrity"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_sqlite_itself_finds_sound_is_compared_with_the_log(sound: Path, tmp_path: Path, name: str) -> None:
    sql, check = CHANGES[name]
    path = tmp_path / "a.db"
    shutil.copy(sound, path)
    if "api_key" in sql:
        with heedful.open(path) as loop:
            loop.govern.keys.create("k", role=heedful.Role.ADMIN)
    _changed(path, sql)

    doctor = _run(path, "doctor")

    assert doctor.exit_code == 1, doctor.output
    assert f"✗ {check}" in doctor.output or "✗ database" in doctor.output, doctor.output
    assert SAID not in doctor.output


def test_an_event_that_was_changed_on_the_disk_is_not_read(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    shutil.copy(sound, path)
    _changed(path, f"update feedback_event set meta = replace(meta, '{SAID}', 'trombone') where seq = 3")

    with heedful.open(path) as loop, pytest.raises(errors.StoreDamaged, match="event number 3") as caught:
        list(loop.events())
    assert "heedful doctor" in caught.value.hint
    result = _run(path, "events", "--all")
    assert (result.exit_code, SAID in result.stderr) == (3, False)


def test_what_can_still_be_read_is_salvaged(sound: Path, tmp_path: Path) -> None:
    path, new = tmp_path / "a.db", tmp_path / "new.db"
    shutil.copy(sound, path)
    shutil.copy(f"{sound}.secret", f"{path}.secret")
    with heedful.open(path) as loop:
        before = list(loop.events())
        loop.govern.set_privacy(max_data_age="90d")
    _changed(path, f"update feedback_event set meta = replace(meta, '{SAID}', 'trombone') where seq = 3")

    result = _run(new, "restore", "--salvage", str(path))

    assert result.exit_code == 0, result.output
    with heedful.open(new) as loop:
        assert list(loop.events())[: len(before) - 1] == [event for event in before if event.seq != 3]
        assert loop.govern.privacy().max_data_age == "90d"
        assert correction_of(loop.apply.search(f"{SAID} ship 4")[0]).right == f"{SAID} release"
        loop.capture.fixes(sample_fixes(2))
    assert _run(new, "doctor").exit_code == 0
    assert _run(new, "restore", "--salvage", str(path)).exit_code == 2  # nothing is overwritten


@pytest.mark.parametrize("seed", [1, 2, 4, 7])
def test_salvaging_takes_over_nothing_that_was_not_recorded(sound: Path, tmp_path: Path, seed: int) -> None:
    path, new = _damaged(sound, tmp_path, seed), tmp_path / "new.db"
    with heedful.open(sound) as loop:
        before = {event.id: event for event in loop.events()}

    heedful.salvage(path, new)

    with heedful.open(new) as loop:
        events = list(loop.events())
        assert all(event == before[event.id] for event in events)
    assert _run(new, "doctor").exit_code == 0


def _broken(error: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


def test_a_mistake_of_our_own_is_told_by_its_place_alone(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    shutil.copy(sound, path)
    monkeypatch.setattr("heedful.log.Log.all", _broken(ValueError(SAID)))

    result = _run(path, "events")

    assert result.exit_code == 1
    assert "ValueError in test_damaged_files.py" in result.stderr
    assert SAID not in result.output
