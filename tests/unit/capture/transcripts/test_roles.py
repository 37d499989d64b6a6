"""Who really said it, and what of it is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.conversations.transcripts.metadata import clean_id, clean_title, parse_time
from heedful.capture.conversations.transcripts.typed_text import (
    TEXT_LIMIT,
    assistant_message,
    clip_text,
    tool_call,
    tool_message,
    user_message,
)
from heedful.records.transcript import Speaker
from heedful.text.project import project_name, project_of_files
from tests.effort import at_most


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("Use tabs.<system-reminder>not this</system-reminder>", "Use tabs."),
        ("<heedful>ours</heedful>\nUse tabs.", "Use tabs."),
        ("Use tabs. <heedful version='1'>ours, cut off", "Use tabs."),
        ("<ide_opened_file>a.py</ide_opened_file>\nUse tabs.", "Use tabs."),
        ("[Image: source: /tmp/shot.png]\nUse tabs.", "Use tabs."),
        ("# Context from my IDE setup:\n\n## Open tabs:\n\n## My request for Codex:\nUse tabs.", "Use tabs."),
        ("<user-memory-input>Use tabs.</user-memory-input>", "Use tabs."),
        ("why is there a <system-reminder> in my log?", "why is there a <system-reminder> in my log?"),
        ("if a < b and c > d", "if a < b and c > d"),
    ],
)
def test_only_what_a_person_typed_is_theirs(text: str, typed: str) -> None:
    message = user_message("m", text, None)
    assert message is not None
    assert (message.role, message.text) == (Speaker.USER, typed)


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/clear</command-name>\n<command-args></command-args>",
        "<local-command-stdout>done</local-command-stdout>",
        "<task-notification>\n<status>completed</status>\n</task-notification>",
        "<environment_context>cut off in the mid",
        "# AGENTS.md instructions for /srv/app\n\nUse tabs.",
        "This session is being continued from a previous conversation that ran out of context.",
    ],
)
def test_what_a_program_put_there_is_nobodys(text: str) -> None:
    message = user_message("m", text, None)
    assert message is not None
    assert (message.role, message.text) == (Speaker.SYSTEM, text)


def test_words_after_an_interruption_are_kept() -> None:
    message = user_message("m", "[Request interrupted by user]\n\nnot that file", None)
    assert message is not None
    assert (message.role, message.text, message.failed) == (Speaker.USER, "not that file", True)


def test_our_own_words_come_back_from_nowhere() -> None:
    ours = "a<heedful>secret</heedful>b"
    for message in (user_message("m", ours, None), assistant_message("m", ours, None), tool_message("m", ours, None)):
        assert message is not None
        assert message.text == "ab"
    assert tool_call("Task", ours).input == "ab"


def test_a_very_long_text_keeps_its_beginning_and_its_end() -> None:
    text = clip_text("begin" + "x" * 3 * TEXT_LIMIT + "end")
    assert text.startswith("beginx")
    assert text.endswith("xend")
    assert len(text) <= TEXT_LIMIT
    assert "left out" in text


@given(st.text() | st.text(alphabet="\ud800\udc00\x00a "))
def test_a_kept_text_is_text_that_any_store_takes(text: str) -> None:
    kept = clip_text(text)
    kept.encode()
    assert "\x00" not in kept


@pytest.mark.parametrize(
    "piece", ["<system-reminder>", "<heedful ", "<user_query>", "<a", "[Request", "```\n", "<think>"]
)
def test_hostile_text_costs_little(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    with at_most(5):
        user_message("m", text, None)
        tool_message("m", text, None)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/srv/code/lantern", "lantern"),
        ("/srv/code/lantern/", "lantern"),
        ("C:\\Users\\mara\\code\\lantern", "lantern"),
        ("/srv/code/lantern/src", "lantern"),
        ("/srv/code/lantern/packages/web/src", "lantern"),
        ("C:\\code\\lantern\\tests", "lantern"),
        ("/home/mara/src", "src"),
        ("/home/mara/code/lib", "lib"),
        ("/Users/mara/projects/tests", "tests"),
        ("/home/mara/code/lantern/lib", "lantern"),
        ("/home/mara/apps/lantern", "lantern"),
        ("/home/mara/lantern/app", "app"),
        ("/src", "src"),
        ("/home/mara", None),
        ("C:\\Users\\mara", None),
        ("/root", None),
        ("C:\\", None),
        ("/", None),
        ("", None),
        (7, None),
    ],
)
def test_a_project_is_a_folders_own_name(folder: object, name: str | None) -> None:
    assert project_name(folder) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("/home/mara/code/lantern/billing/cart.py", "lantern"),
        ("/home/mara/lantern/src/cart.py", "lantern"),
        ("C:\\Users\\mara\\source\\repos\\lantern\\cart.cs", "lantern"),
        ("/home/mara/code/cart.py", None),
        ("/home/mara/.config/tool/settings.json", None),
        ("/home/mara/notes.txt", None),
        ("/etc/hosts", None),
    ],
)
def test_a_file_below_a_home_folder_names_its_project(file: str, name: str | None) -> None:
    assert project_of_files(["/tmp/scratch.txt", file]) == name


def test_a_project_is_the_repository_that_a_folder_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "mara"
    monkeypatch.setenv("HOME", str(home))
    shop, linked, module = home / "shop", home / "trees" / "fix-it", home / "shop" / "vendor" / "pay"
    for repository in (home, shop):  # a home folder that is one holds settings
        (repository / ".git" / "worktrees" / "fix-it").mkdir(parents=True)
    for folder, main in ((linked, shop / ".git" / "worktrees" / "fix-it"), (module, "../../.git/modules/pay")):
        (folder / "lib").mkdir(parents=True)
        (folder / ".git").write_text(f"gitdir: {main}\n")
    (tmp_path / "link").symlink_to(shop)

    places = (
        shop,
        shop / "gone" / "packages",
        linked / "lib",
        module / "lib",
        tmp_path / "link",
        home / "blog" / "src",
    )
    assert [project_name(str(folder)) for folder in places] == ["shop", "shop", "shop", "pay", "shop", "blog"]


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2026-03-04T09:01:00.250Z", datetime(2026, 3, 4, 9, 1, 0, 250_000, UTC)),
        ("2026-03-04 09:01:00Z", datetime(2026, 3, 4, 9, 1, tzinfo=UTC)),
        ("claude-opus-4-6 2026-03-04 09:01:00Z", datetime(2026, 3, 4, 9, 1, tzinfo=UTC)),
        ("2026-03-04 02:01:00-0700", datetime(2026, 3, 4, 9, 1, tzinfo=UTC)),
        (1772614860, datetime(2026, 3, 4, 9, 1, tzinfo=UTC)),
        (1772614860000, datetime(2026, 3, 4, 9, 1, tzinfo=UTC)),
        ("yesterday", None),
        ("2026-13-04T09:01:00Z", None),
        (float("nan"), None),
        (10**400, None),
        (True, None),
        (None, None),
    ],
)
def test_times_are_utc_or_none(value: object, at: datetime | None) -> None:
    assert parse_time(value) == at


@given(st.text() | st.integers() | st.floats() | st.none() | st.lists(st.integers()))
def test_anything_may_stand_where_an_id_a_time_or_a_name_should(value: object) -> None:
    for kept in (clean_id(value), project_name(value), clean_title(value)):
        assert kept is None or (kept.isprintable() and 0 < len(kept) <= 200)
    assert parse_time(value) is None or parse_time(value).tzinfo is UTC  # type: ignore[union-attr]
