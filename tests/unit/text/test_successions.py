"""Sentences that say what ended and what holds in its place, and such as only sound like it."""

from __future__ import annotations

import pytest

from heedful.text.retractions import is_replaced, retractions


def is_meant(known: str, sentence: str) -> bool:
    return any(one.match(known, known) for one in retractions(sentence))


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ("Use yarn to install packages", "yarn is gone, we moved to pnpm"),
        ("Run `make lint` before you commit", "`make lint` gibt es nicht mehr, wir nehmen jetzt `just check`"),
        ("Deploy with make release", "make release was replaced by make deploy"),
        ("Open tickets in Jira", "Jira ist Geschichte, Tickets kommen jetzt nach Linear"),
        ("Send invoices through Stripe", "on a abandonné Stripe, maintenant on utilise Adyen pour les factures"),
        ("Run the tests with tox", "tox n'existe plus, c'est nox maintenant"),
        ("Store sessions in Memcached", "ya no usamos Memcached, ahora las sesiones van en Redis"),
        ("Deploy to Heroku", "Heroku se acabó, ahora desplegamos en Fly"),
        ("Write docs in Confluence", "o Confluence acabou, agora a documentação fica no Notion"),
        ("Format code with black", "trocamos o black pelo ruff"),
        ("Ask Maria to sign off on menus", "Maria left, sign-offs on menus go to Jonas now"),
        ("Book rooms via the front desk", "we switched from the front desk to the booking app for rooms"),
        ("Use Jenkins for builds", "Jenkins is dead, everything builds on Buildkite now"),
        ("Run `npm test` before you push", "there is no `npm test` anymore, it's `vitest run` now"),
        ("Start the app with docker-compose up", "docker-compose has been retired, use `tilt up` from now on"),
        ("Order flour from Meyer", "Meyer liefert nicht mehr, wir bestellen das Mehl jetzt bei Hansen"),
        ("Use Poetry to install dependencies", "Poetry haben wir durch uv ersetzt"),
        ("Log hours in Toggl", "Toggl wurde abgeschafft, Stunden kommen jetzt in Clockify"),
        ("Generate migrations with `rake db:diff`", "`rake db:diff` a été supprimé, on passe par `rake db:plan`"),
        ("Use webpack for bundling", "on est passés de webpack à vite"),
        ("Use Sentry for errors", "hemos cambiado Sentry por Datadog"),
        ("Use Trello for planning", "não temos mais Trello, o planejamento agora é no Asana"),
        ("Deploy with `make ship`", "`make ship` não existe mais, agora é `make release`"),
        ("Send samples to the lab in Graz", "the lab in Graz closed down, samples go to Linz now"),
        ("Use Figma for mockups", "they replaced Figma with Penpot"),
        ("Run `cargo lint` before each push", "`cargo lint` no longer exists, we run `cargo clippy` instead"),
        ("Book trips through Concur", "Concur is history. Trips are booked in Navan now."),
        ("Nutze Maven für den Build", "wir sind von Maven auf Gradle umgestiegen"),
        ("Trage Urlaub in Personio ein", "Personio nutzen wir nicht mehr, Urlaub kommt jetzt in Factorial"),
        ("Commande le café chez Lavazza", "on ne commande plus chez Lavazza, maintenant c'est Malongo"),
        ("Utilise Jest pour les tests", "Jest a été remplacé par Vitest"),
        ("Usa Travis para CI", "Travis ha muerto, ahora usamos GitHub Actions"),
        ("Usa `npm start` para arrancar", "`npm start` ya no existe, ahora es `npm run dev`"),
        ("Use o Slack para avisos", "o Slack foi substituído pelo Teams"),
        ("Publique com `make pub`", "não usamos mais `make pub`, agora é `make deploy`"),
        ("Ship parcels with DHL", "DHL is no longer our carrier, we ship with GLS now"),
        ("Ask Priya to review SQL", "Priya has left the team, SQL reviews go to Omar now"),
        ("Use `pip install` for dependencies", "`pip install` got replaced by `uv sync`"),
        ("Record calls in Zoom", "we've abandoned Zoom, calls are recorded in Meet now"),
        ("Schreibe Protokolle in OneNote", "OneNote ist abgeschafft, Protokolle stehen jetzt in Obsidian"),
        ("Baue mit `make dist`", "statt `make dist` nehmen wir jetzt `make bundle`"),
        ("Réserve les salles dans Outlook", "Outlook a été remplacé par Robin pour les salles"),
        ("Lance `yarn dev`", "on n'a plus `yarn dev`, on lance `pnpm dev` maintenant"),
        ("Guarda los planos en Dropbox", "reemplazamos Dropbox por Drive"),
        ("Compra harina en Molina", "Molina cerró, ahora compramos en Harinas Sur"),
        ("Use o Firebase para login", "migramos do Firebase para o Auth0"),
        ("Peça pão na Padaria Sol", "a Padaria Sol fechou, agora pedimos na Central"),
    ],
)
def test_who_says_what_ended_and_what_holds_instead_replaces_what_was_known(known: str, sentence: str) -> None:
    assert is_meant(known, sentence)
    assert is_replaced(sentence)


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ("Keep the config in config.toml", "the old config is gone, where is it?"),
        ("Put the button on the right", "we moved the button to the left"),
        ("Use yarn to install packages", "yarn was slow yesterday"),
        ("Use yarn to install packages", "the yarn cache is gone, please restore it"),
        ("Run `make lint` before you commit", "replace `make lint` in the Makefile target with a phony one"),
        ("Store sessions in Redis", "redis is down, restart it"),
        ("Validate emails with a regex", "I switched to the other branch to check the regex for emails"),
        ("Use Postgres for everything", "Postgres startet nicht mehr, was ist da los"),
        ("Show prices with two decimals", "die Preise fehlen jetzt auf der Seite, die waren vorher da"),
        ("Run the tests with tox", "tox ne marche plus sur ma machine"),
        ("Deploy with make release", "ahora ejecuta make release"),
        ("Use snake_case for file names", "troca o nome da função para snake_case"),
        ("Use Jenkins for builds", "Jenkins is red again, have a look"),
        ("Use the blue theme for dashboards", "the dashboard now uses the blue theme, thanks"),
        ("Write tests with pytest", "the tests are gone from the pytest run, put them back"),
        ("Install packages with pnpm", "I replaced my laptop, install packages with pnpm again"),
        ("Keep images in the assets folder", "the images in the assets folder are gone since your last commit"),
        ("Use Stripe for payments", "swap the Stripe logo for the new one on the payments page"),
        ("Log hours in Toggl", "in Toggl fehlt jetzt mein Eintrag von gestern"),
        ("Order flour from Meyer", "Meyer hat die Lieferung verschoben, sie kommt jetzt am Dienstag"),
        ("Use webpack for bundling", "webpack ne trouve plus le fichier, on a changé le chemin"),
        ("Send press releases to the Berlin office", "moví el comunicado de la oficina de Berlin a otra carpeta"),
        ("Use Sentry for errors", "Sentry ya no muestra los errores de ayer"),
        ("Use Trello for planning", "o cartão do Trello sumiu, agora cadê ele?"),
        ("Use Figma for mockups", "the Figma link is dead, here is the new one"),
        ("Send samples to the lab in Graz", "the lab in Graz has moved its opening hours to Monday"),
        ("Use Jest for tests", "Jest is gone from package.json after your change, add it back now"),
        ("Use icons in the menu", "I swapped the icons with text in the menu, looks better now"),
        ("Serve soup on Mondays", "we are out of soup, serve salad now"),
        ("Use the cache", "the cache is cleared, now try again"),
        ("Nutze Maven für den Build", "Maven lädt nicht mehr, jetzt hängt der Build"),
        ("Trage Urlaub in Personio ein", "in Personio ist mein Urlaub weg, jetzt steht da null"),
        ("Utilise Jest pour les tests", "remplace Jest par Vitest dans ce fichier"),
        ("Usa Travis para CI", "Travis falló, ahora corre otra vez"),
        ("Use o Slack para avisos", "o aviso do Slack saiu, agora manda o email"),
        ("Deploy with make ship", "I deleted the make ship output, we start clean now"),
        ("Ship parcels with DHL", "DHL closed the ticket, please answer them now"),
        ("Record calls in Zoom", "the Zoom call is over, now write the minutes"),
        ("Use a spinner while loading", "we replaced the spinner text, it looks fine now"),
        ("Use `pip install` for dependencies", "`pip install` died halfway, now the venv is broken"),
        ("Write minutes in French", "the French version is gone from the page now"),
        ("Use Chrome for the tests", "Chrome was updated by IT, the tests run faster now"),
        ("Schreibe Protokolle in OneNote", "das Protokoll in OneNote ist weg, jetzt muss ich neu anfangen"),
        ("Nutze Docker", "Docker läuft nicht mehr, starte es jetzt neu"),
        ("Lance `yarn dev`", "`yarn dev` a planté, maintenant le port est pris"),
        ("Guarda los planos en Dropbox", "cambié el nombre de la carpeta de Dropbox por uno más corto"),
        ("Use o Firebase para login", "o Firebase caiu ontem, agora está normal"),
        ("Run the tests with tox", "we moved the tests from tox.ini to pyproject, run the tests with tox now"),
        ("Keep the yarn cache out of the image", "yarn is gone, we moved to pnpm"),
        ("Keep the yarn cache out of the image", "we no longer use yarn"),
        ("Before you run `make lint`, stop the watcher", "`make lint` is gone, we use `just check` now"),
        ("Install packages with pnpm, never with yarn", "yarn is gone, we moved to pnpm"),
        ("Name the release after a river", "make release is gone, it's make deploy now"),
        ("Yarn is gone, we moved to pnpm", "yarn is gone, we moved to pnpm"),
        ("Use mocha for unit tests", "we should replace mocha with vitest at some point"),
        ("Use mocha for unit tests", "can you migrate this file from mocha to vitest"),
        ("Use tabs", "the tabs are gone, now it is spaces, why did you do that"),
    ],
)
def test_reports_tasks_plans_and_other_roles_replace_nothing(known: str, sentence: str) -> None:
    assert not is_meant(known, sentence)


def test_it_may_be_said_in_two_sentences() -> None:
    assert is_meant("Install packages with yarn", "Yarn is gone. We use pnpm now.")
    assert not is_meant("Install packages with yarn", "Yarn is gone. The build fails now.")


@pytest.mark.parametrize("cut", range(0, 60, 3))
def test_half_a_sentence_is_read_as_well(cut: int) -> None:
    for said in ("cambiamos por Datadog, trocamos pelo ruff", "se acabó, we replaced with, n'est plus, moved from to"):
        assert isinstance(retractions(said[cut:]), tuple)
        assert isinstance(is_replaced(said[: 60 - cut]), bool)
