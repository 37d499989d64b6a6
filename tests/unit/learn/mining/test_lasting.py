"""Who says in so many words that a thing should last is heard; who only uses such words, or hands them over, is not."""

from __future__ import annotations

import pytest

from heedful.learn.conversations.pipeline import Case, run
from heedful.learn.conversations.verdicts import POSSIBLE
from tests.unit.learn.mining.talks import talk
from tests.unit.learn.mining.test_statements import ToldReader

FAINT = ToldReader("", chance=0.01)
"""Hears every sentence, and thinks little of it."""


def learned(message: str) -> list[str]:
    session = talk("Add the basket to the order API.", "Done.", message, "Ok.")
    return [one.candidate.title for one in run(Case(session, FAINT)).insights if one.confidence >= POSSIBLE]


@pytest.mark.parametrize(
    "message",
    [
        "Always run `pnpm typecheck` after you touch a .ts file.",
        "never push to main directly, open a PR",
        "Please always answer in English, even if I write in German.",
        "ok looks good. Always put new env vars into .env.example too, otherwise CI can't start",
        "no!! never use sed for that kind of edit, use the Edit tool",
        "Never, under any circumstances, edit files in vendor/",
        "Always explicitly close the db session in tests, the fixture doesn't.",
        "Always double-check the tenant id before you run a migration",
        "please never ever force push",
        "don't ever commit the .env file",
        "Always Conventional Commits, please.",
        "We always rebase, we never merge.",
        "I want you to always show the diff before you apply it.",
        "You should always use absolute imports in apps/web",
        "make sure you always bump the version in Chart.yaml when you touch helm/",
        "One more thing: never mock the clock in tests",
        "Add this to CLAUDE.md: never run the e2e tests locally",
        "From now on write docstrings in Google style.",
        "and from here on, tests go next to the file they test",
        "Henceforth all timestamps are UTC, also in the fixtures",
        "in future please don't reformat files you only read",
        "Every time you add a dependency, update THIRD_PARTY.md as well",
        "Remember that staging and prod share one redis, so never flush it.",
        "remember: the customer table is called clients, not customers",
        "Remember we deploy from the release branch, not main",
        "Remember the customer table is called clients",
        "für die Zukunft: schreib Commit-Messages immer auf Englisch",
        "Ab jetzt bitte keine Emojis mehr in Log-Ausgaben.",
        "In Zukunft bitte keine neuen npm-Pakete ohne zu fragen",
        "Niemals direkt auf der Produktionsdatenbank arbeiten, immer über die Replica",
        "Immer den Linter laufen lassen, bevor du commitest.",
        "Denk daran: die Staging-DB heißt jetzt shop_stg",
        "dorénavant, écris toujours les tests avec pytest",
        "N'utilise jamais `any` dans le code TypeScript.",
        "Toujours lancer `make lint` avant de committer",
        "Jamais de `console.log` dans src/, utilise le logger.",
        "A partir de ahora usa siempre comillas simples en los archivos de TypeScript",
        "Nunca borres migraciones que ya están en main.",
        "recuerda que el módulo de pagos lo mantiene otro equipo",
        "Daqui para frente escreva os nomes das variáveis em inglês",
        "sempre rode os testes antes de abrir um PR",
    ],
)
def test_an_order_or_a_statement_that_says_it_lasts_is_heard_whatever_the_reader_thinks(message: str) -> None:
    assert learned(message)


@pytest.mark.parametrize(
    "message",
    [
        "As always, thanks. Never a dull day with you.",
        "Always the same error. Try again.",
        "Never seen that error before, what does it mean",
        "Never had this issue with yarn",
        "Always crashes when I open the second tab",
        "Always failing on line 40 of parser.py, see the log",
        "Never worked on my machine either, remove it.",
        "never got an answer from the vendor, let's go without",
        "always nice when it just works :)",
        "never mind, found it in the settings",
        "never before have tests been this slow",
        "Immer dieser Fehler. Kannst du das fixen",
        "Immer noch rot",
        "toujours pas. ça plante encore",
        "Toujours la même erreur après le redémarrage",
        "Siempre lo mismo, no compila.",
        "Nunca he visto este error, lo juro",
        "sempre o mesmo erro",
        "remember that script you wrote yesterday, run it again",
        "I remember that phase 3 stores an embedding for each page",
    ],
)
def test_who_exclaims_or_reports_asks_for_nothing(message: str) -> None:
    assert learned(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "Translate this text to German: Always wear a helmet. Never ride without lights.",
        "Write a README that says: This project is MIT licensed. Always read the docs first. Never commit secrets.",
        "Rewrite this in a friendlier tone: You must always submit receipts. Never submit them late.",
        "Add a warning under the form:\nNever share your password with anybody.",
        "Set the tooltip to: Always save before closing.",
        "Summarize this post:\n\nRemember that every cache is a liability.\n\nAlways measure first.",
        "here's the policy text:\n\nAlways badge in. Never tailgate.\n\nturn it into a checklist",
        "The linter says:\nalways use `===` instead of `==`\nnever use var\nfix those please",
        "the customer wrote: please never email me again. what do we need to change",
        'Proofread this email: "Dear team, please be careful. Always lock your screen. Never share your badge."',
        'Our slogan is "Always be closing. Never give up." - put it in the footer',
        "Schreib mir eine Hausordnung: Immer Schutzbrille tragen. Niemals allein an der Säge arbeiten.",
        "Traduis en anglais : Toujours fermer la porte à clé. Jamais laisser les enfants seuls.",
        "why?\n\nclass Pool:\n    # always call close()\n    # never reuse the handle\n    def get(self):",
        "what does this comment mean\n\n// never call this from the main thread\nvoid flush() {",
    ],
)
def test_what_a_text_says_that_is_handed_over_is_not_asked_for(message: str) -> None:
    assert learned(message) == []


def test_what_is_said_after_a_text_that_is_handed_over_is_heard() -> None:
    rule = "From now on put translations into locales/."
    assert learned(f"Translate this to German: Always wear a helmet.\n\n{rule}") == ["Put translations into locales/"]
    assert learned("# always use pnpm in this repo") == ["Always use pnpm in this repo"]


@pytest.mark.parametrize(
    "message",
    [
        "Act as a teacher. Always answer with a question. Never give the solution.",
        "You are a pirate for the rest of this chat. Always say arr. Never break character.",
        "Let's play: from now on you are the dungeon master. Never reveal the map.",
        "Du bist jetzt ein Interviewer. Stelle Fragen. Niemals die Antwort verraten.",
        "for this session: always ask before you edit",
    ],
)
def test_a_part_that_the_agent_plays_ends_with_the_conversation(message: str) -> None:
    assert learned(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "Always use the blue variant for this button.",
        "Never show the spinner in this dialog, it flickers",
        "Never use these icons here.",
    ],
)
def test_what_is_asked_for_one_thing_at_hand_does_not_last(message: str) -> None:
    assert learned(message) == []


@pytest.mark.parametrize("thing", ["repo", "project", "codebase"])
def test_the_project_is_not_one_thing_at_hand(thing: str) -> None:
    assert learned(f"Never use tabs in this {thing}.")
