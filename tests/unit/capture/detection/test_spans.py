"""A correcting message tells what was wrong and what is right; in doubt it is an instruction, and no pair."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.detection.spans import Spans, spans


@pytest.mark.parametrize(
    ("message", "output", "wrong", "right"),
    [
        ("Actually it should return nil, not an error", "The function returns an error", "an error", "nil"),
        ("no, use tabs instead of spaces", "I indented it with spaces.", "spaces", "tabs"),
        ("No, use tabs instead of spaces, please.", "def f():\n  return 1", "spaces", "tabs"),
        ("not London but Paris", "The office is in London.", "London", "Paris"),
        ("Zustand rather than Redux, thanks", "I installed Redux", "Redux", "Zustand"),
        ("it's 17, not 71", "There are 71 of them", "71", "17"),
        ("we don't use Redux, we use Zustand", "I added redux to the store", "redux", "Zustand"),
        ('don\'t say "leverage", say "use"', "We leverage it", "leverage", "use"),
        ("I'd like Thursday, not Tuesday", "Booked for Tuesday.", "Tuesday", "Thursday"),
        ("The meeting is not on Monday but on Tuesday.", "The meeting is on Monday.", "Monday", "Tuesday"),
        ("It's in the docs folder, not in src", "I put it in src", "src", "the docs folder"),
        (
            "Plants do this in chloroplasts, not mitochondria",
            "It is in the mitochondria",
            "mitochondria",
            "chloroplasts",
        ),
        ("It's Dr. Meyer, not Mr. Meyer", "Dear Mr. Meyer,", "Mr. Meyer", "Dr. Meyer"),
        ("should be Tuesday not Monday", "See you Monday", "Monday", "Tuesday"),
    ],
)
def test_a_contrast_names_both_sides(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@pytest.mark.parametrize(
    ("message", "output", "wrong", "right"),
    [
        ("replace the banner with a toast", "It shows the banner now", "the banner", "a toast"),
        ("rename `foo` to `bar`", "def foo(): pass", "foo", "bar"),
        ("rename the function `foo` to `bar`", "def foo(): pass", "foo", "bar"),
        ("rename getUser to fetchUser everywhere", "function getUser() {}", "getUser", "fetchUser"),
        ("change the deadline to March 5th, please", "The deadline is March 3rd.", "March 3rd", "March 5th"),
        ("utilize -> use", "We utilize it.", "utilize", "use"),
        ("nit: typo, it's spelled recieve -> receive", "You recieve it", "recieve", "receive"),
        ("put a table in place of the list", "Here is the list:", "the list", "a table"),
        ("Replace user name with display name in step 2.", "Step 2: show UserName", "UserName", "display name"),
        ("use `await fetch()` instead of `axios.get()`", "call axios.get() here", "axios.get()", "await fetch()"),
        ("Use https://a.example/v2 instead of https://a.example/v1", "GET https://a.example/v1",
         "https://a.example/v1", "https://a.example/v2"),
    ],
)  # fmt: skip
def test_an_exchange_names_both_sides(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@pytest.mark.parametrize(
    ("message", "output", "wrong", "right"),
    [
        ("the deadline is March 5th", "As agreed, the deadline is March 3rd, and we go.", "March 3rd", "March 5th"),
        ("the total is 1,250.00", "Subtotal: 1,000.00\nTax: 200.00\nTotal: 1,200.00", "1,200.00", "1,250.00"),
        ("The capital of Australia is Canberra", "The capital of Australia is Sydney.", "Sydney", "Canberra"),
        ("Anna works at Siemens", "Anna works at Bosch since May.", "Bosch", "Siemens"),
        ("The CEO is Maria Lopez", "The CEO is John Smith and he travels.", "John Smith", "Maria Lopez"),
        ("Kovalski should be Kowalski", "Dear Mr Kovalski,", "Kovalski", "Kowalski"),
        ("it's spelled Kowalski", "Dear Mr Kovalski, thank you", "Kovalski", "Kowalski"),
        ("it's written GitHub", "We are on Github now", "Github", "GitHub"),
        ("it should be 5", "The list has 3 entries.", "3", "5"),
        ("make it 30 seconds", "There is a timeout of 10 seconds", "10 seconds", "30 seconds"),
        ("I said Friday", "I booked it for Thursday at 5.", "Thursday", "Friday"),
        ("wrong folder, it's in src/api", "I changed src/lib", "src/lib", "src/api"),
        ("there are 8 planets", "There are 9 planets around the sun.", "9", "8"),
        ("no, he lives in Bonn", "He lives in Berlin with Anna.", "Berlin", "Bonn"),
    ],
)
def test_what_is_right_is_set_against_what_the_output_says(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@pytest.mark.parametrize(
    ("message", "output", "wrong", "right"),
    [
        ("Nein, nicht Berlin, sondern Bonn", "Die Firma sitzt in Berlin.", "Berlin", "Bonn"),
        ("verwende Tabs statt Leerzeichen", "Ich habe Leerzeichen benutzt", "Leerzeichen", "Tabs"),
        ("Ersetze foo durch bar, bitte", "foo()", "foo", "bar"),
        ("Benenne `alt` in `neu` um", "def alt(): ...", "alt", "neu"),
        ("die Frist ist der 5. März", "Die Frist ist der 3. März.", "3. März", "5. März"),
        ("wir benutzen kein Redux, wir benutzen Zustand", "mit Redux", "Redux", "Zustand"),
        ("ich sagte Freitag", "Ich habe Donnerstag notiert.", "Donnerstag", "Freitag"),
        ("Der Preis ist 49 €, nicht 39 €", "Das kostet 39 €", "39 €", "49 €"),
        ("man schreibt es Meyer", "Herr Meier kommt", "Meier", "Meyer"),
        ("Utilise des tabulations au lieu des espaces", "J'ai mis des espaces", "espaces", "tabulations"),
        ("Non, c'est Paris, pas Lyon", "Le siège est à Lyon.", "Lyon", "Paris"),
        ("remplace foo par bar", "foo", "foo", "bar"),
        ("on n'utilise pas Redux, on utilise Zustand", "avec Redux", "Redux", "Zustand"),
        ("ça s'écrit Dupond", "M. Dupont arrive", "Dupont", "Dupond"),
        ("usa tabuladores en lugar de espacios", "con espacios", "espacios", "tabuladores"),
        ("no es Madrid sino Sevilla", "Está en Madrid", "Madrid", "Sevilla"),
        ("es Sevilla, no Madrid", "Está en Madrid", "Madrid", "Sevilla"),
        ("no usamos Redux, usamos Zustand", "con Redux", "Redux", "Zustand"),
        ("el plazo es el 5 de marzo", "El plazo es el 3 de marzo.", "3 de marzo", "5 de marzo"),
        ("não é Lisboa, mas Porto", "Fica em Lisboa", "Lisboa", "Porto"),
        ("use tabs em vez de espaços, por favor", "com espaços", "espaços", "tabs"),
        ("Substitua foo por bar", "foo", "foo", "bar"),
        ("não usamos Redux, usamos Zustand", "com Redux", "Redux", "Zustand"),
        ("a capital é Brasília", "A capital é Rio de Janeiro.", "Rio de Janeiro", "Brasília"),
    ],
)
def test_other_languages_have_the_same_constructions(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@pytest.mark.parametrize(
    ("message", "output", "instruction"),
    [
        ("don't add comments", "x = 1  # one", "don't add comments"),
        ("please always use British spelling", "color", "always use British spelling"),
        ("remove the emojis", "Done 🎉", "remove the emojis"),
        ("Shorter please!", "A long text", "Shorter"),
        ("it should be 5", "The list has 3 entries and 4 rows", "it should be 5"),
        ("wrong file, it's in src/api", "I changed src/a.ts and src/b.ts", "it's in src/api"),
        ("change the title to Quarterly Review", "# Weekly Review", "change the title to Quarterly Review"),
        ("swap width with height and vice versa", "width height", "swap width with height and vice versa"),
        ('replace the first "a" with b', 'a "a" a', 'replace the first "a" with b'),
        ("Replace it with `bar`", "x = `foo` + `baz`", "Replace it with `bar`"),
        ("do it in Python rather than guessing", "In Python", "do it in Python rather than guessing"),
        ("the tests should be in a separate file", "The tests are in main.py",
         "the tests should be in a separate file"),
        ("The title is wrong, it should be shorter", "The title", "The title is wrong, it should be shorter"),
    ],
)  # fmt: skip
def test_in_doubt_nothing_is_replaced(message: str, output: str, instruction: str) -> None:
    assert spans(message, output)[:2] == ("", instruction)


@pytest.mark.parametrize(
    "message",
    ["that's wrong", "No.", "That does not make sense", "what do you mean?", "das ist falsch", "c'est faux", ""],
)
def test_mere_displeasure_says_nothing(message: str) -> None:
    assert spans(message, "The answer is 5.") == Spans("", "", "")


def test_a_denial_tells_only_what_is_wrong() -> None:
    assert spans("The deadline is not March 3rd", "the deadline is March 3rd") == Spans("March 3rd", "", "")


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("That's wrong because the API is paginated", "the API is paginated"),
        ("Use snake_case, not camelCase, because our linter complains", "our linter complains"),
        ("Remove the second paragraph, since it repeats the first", "it repeats the first"),
        ("Das ist falsch, weil die API Seiten hat", "die API Seiten hat"),
        ("Utilise un set parce que c'est plus rapide", "c'est plus rapide"),
        ("usa otro nombre porque ya existe", "ya existe"),
        ("You forgot the case where the list is empty", "You forgot the case where the list is empty"),
        ("We have met since 2019", ""),
    ],
)
def test_the_reason_is_kept_in_the_words_of_the_message(message: str, why: str) -> None:
    assert spans(message, "x").why == why


def test_the_reason_is_no_part_of_what_is_right() -> None:
    assert spans("use a set instead of a list because it is faster", "I used a list.") == Spans(
        "list", "set", "it is faster"
    )


def test_quoted_text_may_hold_anything() -> None:
    assert spans('replace "not X, but Y. Really" with "Z -> W"', "It says not X, but Y. Really here") == Spans(
        "not X, but Y. Really", "Z -> W", ""
    )


def test_long_instructions_are_cut_at_a_word() -> None:
    right = spans("please " + "explain everything again " * 100, "x").right
    assert len(right) <= 300
    assert right.endswith(" explain…") or right.endswith("everything…") or right.endswith("again…")


_FRAGMENTS = st.sampled_from(
    [
        "not ",
        "instead of ",
        "->",
        "`",
        '"',
        "'",
        "the total is ",
        "5",
        ", ",
        ". ",
        "is ",
        "because ",
        "\n",
        "\ue000",
        "no ",
    ]
)
_MESSAGES = st.lists(_FRAGMENTS | st.text(max_size=8), max_size=30).map("".join)


@given(_MESSAGES, _MESSAGES)
def test_whatever_is_said_the_parts_are_short_and_differ(message: str, output: str) -> None:
    found = spans(message, output)
    assert all(len(part) <= 300 for part in found)
    assert not found.wrong or found.wrong != found.right


@pytest.mark.parametrize(
    "piece",
    [
        "not ",
        "a, not b ",
        "'\"`",
        "-> ",
        "(",
        " ",
        "\n",
        "1.",
        "is not ",
        "because ",
        "that is ",
        "é",
        "``` \n",
        "\ud800",
        "\x00",
    ],
)
def test_hostile_messages_and_outputs_take_bounded_time(piece: str) -> None:
    spans("use a instead of b", "a")  # the constructions are compiled once
    start = perf_counter()
    spans(piece * 1_000_000, piece * 100_000)
    spans("the total is 5, not 6", piece * 1_000_000)
    assert perf_counter() - start < 1
