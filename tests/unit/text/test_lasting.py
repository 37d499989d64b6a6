"""Whether a message says in so many words that it lasts, or that it is for now."""

from __future__ import annotations

import pytest

from heedful.text.lasting import Lasting, lasting_of


@pytest.mark.parametrize(
    "message",
    [
        "please always answer in German", "Never commit to main", "Remember: prices are integers in cents",
        "From now on always use uv in this project, never pip. Add the requests package.",
        "from today on we close at six", "antworte bitte immer auf Deutsch", "schreib die Preise immer in Cent",
        "verwende nie das alte Formular", "réponds toujours en français", "écris toujours les commentaires en anglais",
        "escribe siempre los precios en euros", "no uses nunca var", "usa sempre o formulário novo",
        "nunca faças commit na main",
    ],
)  # fmt: skip
def test_what_lasts(message: str) -> None:
    assert lasting_of(message) is Lasting.EXPLICIT


@pytest.mark.parametrize(
    "message",
    [
        "don't run the tests now, no time", "use requests for this one, the page is static", "not now, we're closed",
        "just for today, skip the backup", "skip the photos this time", "in this case use a plain list",
        "skip the linter this once",
        "jetzt nicht, keine Zeit für Tests", "lass die Migration heute weg", "für diese Rechnung bitte netto",
        "pas maintenant, laisse les tests", "pour cette fois, utilise le tarif d'hiver", "ahora no, deja las pruebas",
        "para este pedido usa gramos", "não rode os testes agora", "por enquanto deixa o preço antigo",
    ],
)  # fmt: skip
def test_what_is_for_now_or_for_one_thing(message: str) -> None:
    assert lasting_of(message) is Lasting.PASSING


@pytest.mark.parametrize(
    "message",
    [
        "the fee is now 30 euros", "we use uv now", "in this country we drive on the left", "it never worked",
        "No, use pnpm, not npm.", "the oven always overheats", "läuft immer noch nicht", "immer der gleiche Fehler",
        "ça marche toujours pas", "plante toujours au démarrage", "falla siempre", "el pan ahora cuesta 3 euros",
    ],
)  # fmt: skip
def test_what_says_neither(message: str) -> None:
    assert lasting_of(message) is Lasting.UNSAID
