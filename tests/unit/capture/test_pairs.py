"""A correcting message tells what was wrong and what is right; in doubt no pair is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.corrections.detection import detect
from heedful.capture.corrections.pairs.fitting import fitted
from heedful.capture.corrections.pairs.judge import likeliest
from heedful.capture.corrections.pairs.widening import widened
from heedful.capture.corrections.questions import asks_for_more
from heedful.providers.correction_reader import LocalReader
from heedful.records.reading import Exchange
from tests.effort import at_most
from tests.scoring import scored

READER = LocalReader()


def pair(message: str, output: str, question: str = "") -> tuple[str, str]:
    """As it is recorded: both empty in doubt."""
    found = detect(Exchange(question, output, message), READER, None).detection
    return found.wrong, found.right


def makes_the_same(found: tuple[str, str], wrong: str, right: str, output: str) -> bool:
    return output.replace(*found) == output.replace(wrong, right)


@scored("pairs/contrasts", at_least=0.7)
def test_a_contrast_names_both_sides(message: str, output: str, wrong: str, right: str) -> None:
    found = pair(message, output)
    assert all(found)
    assert makes_the_same(found, wrong, right, output)


@scored("pairs/one_sided", at_least=0.7)
def test_what_is_right_takes_the_place_of_what_the_output_says(
    message: str, output: str, wrong: str, right: str
) -> None:
    found = pair(message, output)
    assert all(found)
    assert makes_the_same(found, wrong, right, output)


@pytest.mark.parametrize("dataset", ["contrasts", "exchanges", "one_sided", "languages"])
def test_a_pair_that_is_given_is_right(dataset: str) -> None:
    @scored(f"pairs/{dataset}", at_least=0.9)
    def check(message: str, output: str, wrong: str, right: str) -> None:
        found = pair(message, output)
        assert not all(found) or makes_the_same(found, wrong, right, output)

    check()


@scored("pairs/doubtful", at_least=0.75)
def test_in_doubt_nothing_is_replaced(message: str, output: str) -> None:
    assert pair(message, output) == ("", "")


@pytest.mark.parametrize(
    ("question", "output", "message", "wrong", "right"),
    [
        (
            "When is the parcel picked up?",
            "The parcel is picked up at 15:30. Please have it packed.",
            "The driver comes at 14:00.",
            "15:30",
            "14:00",
        ),
        (
            "Who leads the workshop?",
            "The workshop is led by Carla Benso and lasts a day.",
            "No, it's Milan Horak.",
            "Carla Benso",
            "Milan Horak",
        ),
        ("Which tool?", "Format the code with `yapf` before each push.", "We use black, not yapf.", "yapf", "black"),
        ("How hot?", "Wash the towels at 40 degrees.", "60 degrees, please.", "40", "60"),
        (
            "What is the capital of Portugal?",
            "The capital of Portugal is Porto.",
            "No, it's Lisbon.",
            "Porto",
            "Lisbon",
        ),
        (
            "When?",
            "We are open Monday to Friday.",
            "Tuesday to Saturday, not Monday to Friday",
            "Monday to Friday",
            "Tuesday to Saturday",
        ),
    ],
)
def test_people_say_plainly_what_is_right(question: str, output: str, message: str, wrong: str, right: str) -> None:
    found = pair(message, output, question)
    assert all(found)
    assert makes_the_same(found, wrong, right, output)


@pytest.mark.parametrize(
    "message", ["it used to be 3, right?", "it was 3 before, wasn't it?", "früher waren es 3, oder?"]
)
def test_how_things_were_is_not_how_they_are(message: str) -> None:
    assert pair(message, "The warranty is 2 years.", "How long is the warranty?") == ("", "")


@pytest.mark.parametrize("message", ["noon to 4 pm, not 11 am to 3 pm", "it's midnight to 7 pm on Sundays"])
def test_half_a_range_is_not_replaced(message: str) -> None:
    output = "The kitchen is open from 11 am to 3 pm."
    wrong, right = pair(message, output, "When is the kitchen open?")
    assert wrong in ("", "11 am to 3 pm", "11 am to 3")
    assert not right or " to " in right


@pytest.mark.parametrize(
    "message", ["that's wrong", "No.", "That does not make sense", "das ist falsch", "c'est faux", "x" * 5_000]
)
def test_mere_displeasure_and_long_messages_name_no_words(message: str) -> None:
    assert pair(message, "The answer is 5. It was 4 before.") == ("", "")


def test_a_mistake_far_down_in_a_long_output_is_found() -> None:
    output = "Nothing was changed in this part of the report. " * 400 + "The rent of the hall is 480 euros."
    assert makes_the_same(pair("The rent is 520 euros.", output), "480", "520", output)


@pytest.mark.parametrize(
    ("wrong", "right", "expected"),
    [
        ("9 am", "8", ("9", "8")),
        ("9 am", "8 am", ("9", "8")),
        ("20%", "10 percent", ("20", "10")),
        ("60th", "62", ("60th", "62nd")),
        ("8 litres", "nine litres", ("8", "9")),
        ("six", "5", ("six", "five")),
        ("16 km", "twenty-six km", ("16", "26")),
        ("Mondays", "wednesday", ("Mondays", "Wednesdays")),
        ("Tuesday", "weds", ("Tuesday", "Wednesday")),
        ("18 degrees", "fifteen degrees", ("18", "15")),
        ("an hour", "15 minutes", ("an hour", "15 minutes")),
        ("plaza Mayor", "plaza del Carmen", ("Mayor", "del Carmen")),
    ],
)
def test_right_words_fit_the_wrong_ones(wrong: str, right: str, expected: tuple[str, str]) -> None:
    assert fitted(wrong, right, opens=False)[:2] == expected


def test_the_capital_that_begins_a_sentence_is_no_part_of_a_word() -> None:
    assert fitted("two", "Three", opens=True)[:2] == ("two", "three")
    assert fitted("Two", "three", opens=True)[:2] == ("Two", "Three")
    assert fitted("flake8", "PyTest", opens=True)[:2] == ("flake8", "PyTest")


@pytest.mark.parametrize(
    ("output", "wrong", "right", "message", "expected"),
    [
        ("It takes 8 litres of water.", "8", "9", "nine litres", ("8 litres", "9 litres")),
        ("Doors open at 7 am.", "7", "8", "8, they moved it", ("7 am", "8 am")),
        ("Bake at 6 °C below.", "6", "5", "5", ("6 °C", "5 °C")),
        ("It does 9 km/h uphill.", "9", "7", "seven", ("9 km/h", "7 km/h")),
        ("Take gate A, please.", "A", "C", "it's gate C", ("gate A", "gate C")),
        ("Painted by Erik Lund in 1964.", "Erik", "Ingrid", "by Ingrid Lund", ("Erik Lund", "Ingrid Lund")),
        (
            "All amounts in US dollars.",
            "US",
            "Canadian",
            "we use Canadian dollars",
            ("US dollars", "Canadian dollars"),
        ),
        ("Fire it to 1060 degrees.", "1060", "1000", "to 1000 in our kiln", ("1060", "1000")),
        ("Send it to Ann Oak in HR.", "Ann Oak", "Bo Elm", "to Bo Elm", ("Ann Oak", "Bo Elm")),
    ],
)
def test_a_pair_keeps_the_words_that_say_what_is_meant(
    output: str, wrong: str, right: str, message: str, expected: tuple[str, str]
) -> None:
    assert widened(wrong, right, output.index(wrong), output, message) == expected


@pytest.mark.parametrize(
    ("output", "message", "expected"),
    [
        ("The symphony is by Ludwig van Beethoven.", "No, it's Mozart.", "The symphony is by Mozart."),
        ("The parcel goes to Newcastle upon Tyne.", "No, it goes to Durham.", "The parcel goes to Durham."),
        ("La oficina está en Santiago de Compostela.", "No, está en Vigo.", "La oficina está en Vigo."),
        ("Das Büro ist in Rothenburg ob der Tauber.", "Nein, in Ansbach.", "Das Büro ist in Ansbach."),
        ("The lead is Juan de la Cruz.", "No, it's Marta.", "The lead is Marta."),
        ("The court is in The Hague.", "No, in Geneva.", "The court is in Geneva."),
    ],
)
def test_who_corrects_a_part_of_a_name_means_all_of_it(output: str, message: str, expected: str) -> None:
    assert output.replace(*pair(message, output)) == expected


@pytest.mark.parametrize(
    ("output", "message", "expected"),
    [
        ("We use the Bank of Scotland.", "No, the Bank of Ireland.", "We use the Bank of Ireland."),
        ("The King of Spain came.", "No, of Norway", "The King of Norway came."),
        ("Der Chef von Siemens kommt.", "Nein, der Chef von Bosch.", "Der Chef von Bosch kommt."),
        ("The owner is Ana Ruiz.", "No, it's Ana Lopez.", "The owner is Ana Lopez."),
        ("Marie de Vries leads the team.", "Anna de Vries", "Anna de Vries leads the team."),
    ],
)
def test_who_repeats_the_rest_of_a_name_changes_a_part_of_it(output: str, message: str, expected: str) -> None:
    assert output.replace(*pair(message, output)) == expected


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("The account is with the Bank of Scotland.", "no, Barclays"),
        ("The painting hangs in the Museum of Modern Art.", "No, it's the Louvre."),
        ("Der Flug geht nach Frankfurt am Main.", "Nein, nach Leipzig."),
    ],
)
def test_a_part_of_a_name_is_not_replaced_where_the_rest_may_stay_or_go(output: str, message: str) -> None:
    assert pair(message, output) == ("", "")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("We use Postgres.", "In the old company we said MySQL, not Postgres"),
        ("We use Postgres.", "We used to use MySQL, not Postgres, back in 2015"),
        ("Indent the code with spaces.", "At my last job we used tabs, not spaces"),
        ("Wir benutzen Postgres.", "Früher haben wir MySQL benutzt, nicht Postgres"),
        ("On utilise Slack.", "Dans mon ancienne boîte on utilisait Teams, pas Slack"),
        ("Usamos Slack.", "Antes usábamos Teams"),
        ("Usamos Postgres.", "Na minha empresa anterior usávamos MySQL"),
    ],
)
def test_what_once_was_or_is_elsewhere_does_not_overwrite_what_is(output: str, message: str) -> None:
    found = detect(Exchange("", output, message), READER, None).detection
    assert (found.wrong, found.right, found.always) == ("", "", False)


@pytest.mark.parametrize(
    ("output", "message", "expected"),
    [
        ("The fee is 25 euros.", "it used to be 25, now it's 29", "The fee is 29 euros."),
        ("The price is 35 euros.", "the price was raised to 40 last year", "The price is 40 euros."),
        ("Tom is the lead.", "Ana has been the lead since May", "Ana is the lead."),
        ("We use MySQL.", "MySQL was at my old job, here we use Postgres", "We use Postgres."),
        ("Der Beitrag ist 20 Euro.", "Früher waren es 20, jetzt sind es 25", "Der Beitrag ist 25 Euro."),
    ],
)
def test_who_tells_of_the_past_and_of_now_corrects(output: str, message: str, expected: str) -> None:
    assert output.replace(*pair(message, output)) == expected


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("I fixed the parser and updated the docs.", "uhh, and the tests?"),
        ("I fixed the parser and updated the docs.", "uhh what about the tests"),
        ("I fixed the parser and updated the docs.", "so... the tests?"),
        ("Ich habe den Parser repariert.", "eh, und die Tests?"),
        ("J'ai corrigé le parseur.", "et les tests ?"),
        ("La factura está lista.", "vale, ¿y los impuestos?"),
        ("A reunião está marcada.", "hmm, e a sala?"),
    ],
)
def test_who_asks_for_something_else_corrects_nothing(output: str, message: str) -> None:
    assert not detect(Exchange("", output, message), READER, None).detection.is_correction


def test_what_a_list_lacks_is_left_to_the_reader() -> None:
    assert not asks_for_more("and the cat?", "1. Count the till\n2. Lights off\n3. Back door")
    assert asks_for_more("and the cat?", "I counted the till.")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("Here is the list of members: Ana, Tom.", "isn't that last year's list?"),
        ("The price is 25 euros.", "29, no?"),
        ("The office is in Porto.", "are you sure it's Porto?"),
        ("El precio es 25 euros.", "¿no es 29?"),
    ],
)
def test_who_doubts_the_output_corrects(output: str, message: str) -> None:
    assert detect(Exchange("", output, message), READER, None).detection.is_correction


@pytest.mark.parametrize(
    ("output", "message", "wrong", "right"),
    [
        ("I log with print() in utils.py.", "use logger.info, not print", "print", "logger.info"),
        ("I used app.get for it.", "it's router.get here", "app.get", "router.get"),
        ("The flag is config.debug.", "no, settings.debug", "config.debug", "settings.debug"),
    ],
)
def test_a_name_with_dots_is_meant_as_a_whole(output: str, message: str, wrong: str, right: str) -> None:
    exchange = Exchange("", output, message)
    found = likeliest(exchange, READER.read(exchange))
    assert found is not None
    assert (found.wrong, found.right) == (wrong, right)


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
        "1,2",
        "-3 ",
        ", ",
        ". ",
        "is ",
        "\n",
        "Ann Oak ",
    ]
)
_TEXTS = st.lists(_FRAGMENTS | st.text(max_size=8), max_size=30).map("".join)


@given(_TEXTS, _TEXTS)
def test_whatever_is_said_wrong_words_stand_in_the_output_and_differ_from_the_right_ones(
    message: str, output: str
) -> None:
    exchange = Exchange("", output, message)
    found = likeliest(exchange, READER.read(exchange))
    assert found is None or (found.wrong in output and found.wrong != found.right and 0 <= found.chance <= 1)


@pytest.mark.parametrize(
    "piece", ["not ", "a, not b ", "'\"`", "-> ", "(", " ", "\n", "1.", "1,", "A ", "a-", "é", "``` \n", "\x00"]
)
def test_hostile_messages_and_outputs_take_bounded_time(piece: str) -> None:
    pair("use a instead of b", "a")  # the model is loaded once
    with at_most(2):
        pair(piece * 100_000, piece * 10_000)
        pair(piece * 200, piece * 10_000)
        pair("the total is 5, not 6", piece * 10_000)
