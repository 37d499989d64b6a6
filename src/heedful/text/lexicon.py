"""Words that decide what a statement says: negations, units, alternatives."""

from __future__ import annotations

from heedful.text import words
from heedful.text.terms import terms

NEGATIONS_OF_ALL = frozenset({"nicht", "pas"})
"""Negations that may follow what they negate."""

_FORBIDDING = words.words_of("""
    insteadof avoid avoids avoided avoiding refrain stop stops forbid forbids forbidden ban banned disallow disallowed
    prohibit prohibited unlike vermeide vermeiden statt évite évitez éviter evita evitar evite
""")
NEGATIONS: dict[str, str] = {word: word for word in (words.NEGATIONS | _FORBIDDING) - NEGATIONS_OF_ALL - {"ne"}} | {
    "disable": "enabl", "disables": "enabl", "disabled": "enabl", "disabling": "enabl",
}  # fmt: skip
"""With the term each denies, if it has one: what is disabled is not enabled."""

EXCEPTIONS = frozenset({"without", "ohne", "sans", "sin", "sem"})
"""`Do not merge without tests` says yes to tests."""

POLARITY = words.NEGATIONS | words.words_of("""
    always don't do avoid with must mustn't stop immer mit toujours avec siempre con sempre com
""")
"""Words that may be the only difference between a yes and a no."""

# After a negation, these begin to say what to do instead.
RESETS = words.words_of("""
    use using uses prefer prefers favor favour choose but instead by because since so unless then rather always only
    except
    sondern nutze mais pero sino mas
""")
DIVERSIONS = frozenset({"as", "to", "via", "when", "if", "while", "until"})
"""After these it is unclear what a negation applies to."""

LINKS = (words.FUNCTION_WORDS - {"more", "most", "only", "very"}) | words.words_of("e.g i.e etc up out = <= >= < >")

DIRECTIONS = words.words_of("from to into over than by von nach vor zu vers hacia para por à")
"""Where the terms around these change places, it says something else."""

# What is chosen stands elsewhere: these begin what it is chosen for.
SCOPES = frozenset({"for", "of", "when", "per", "within", "during", "if", "until", "while", "between", "für", "pour"})

LIGHT_WORDS = words.words_of("""
    use uses used using usage utilize utilise utilizes utilizing leverage leverages leveraging employ employs apply
    adopt implement implements implementing prefer prefers preferred favor favour choose chosen always ensure ensures
    make makes making sure please need needs needed want wants let lets try get gets proper properly appropriate
    appropriately good well very really e.g longer now anymore nowadays ever
    immer toujours siempre sempre nutze nutzen verwende verwenden utilise utiliser usa usar use
""")

NUMBER_WORDS: dict[str, str] = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14",
    "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20",
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6",
    "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12", "zwanzig": "20", "dreißig": "30",
    "vierzig": "40", "fünfzig": "50", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8",
    "dix": "10", "onze": "11", "douze": "12", "quinze": "15", "vingt": "20", "trente": "30", "quarante": "40",
    "cinquante": "50", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7", "ocho": "8",
    "nueve": "9", "diez": "10", "doce": "12", "quince": "15", "veinte": "20", "treinta": "30", "cuarenta": "40",
    "cincuenta": "50", "dois": "2", "três": "3", "sete": "7", "oito": "8", "nove": "9", "dez": "10", "doze": "12",
    "vinte": "20", "trinta": "30", "dreizehn": "13", "vierzehn": "14", "fünfzehn": "15", "sechzehn": "16",
    "siebzehn": "17", "achtzehn": "18", "neunzehn": "19", "sechzig": "60", "siebzig": "70", "achtzig": "80",
    "neunzig": "90", "treize": "13", "quatorze": "14", "seize": "16", "soixante": "60", "trece": "13", "catorce": "14",
    "sesenta": "60", "setenta": "70", "ochenta": "80", "noventa": "90", "treze": "13", "catorze": "14",
    "quarenta": "40", "sessenta": "60", "oitenta": "80",
}  # fmt: skip

_UNIT_LIST = """
    ns:1e-9 nanosecond:1e-9 us:1e-6 µs:1e-6 microsecond:1e-6 ms:0.001 millisecond:0.001 msec:0.001
    s:1 sec:1 second:1 sekunde:1 sekunden:1 seconde:1 segundo:1 min:60 minute:60 minuten:60 minuto:60 h:3600 hr:3600
    hour:3600 stunde:3600 stunden:3600 heure:3600 hora:3600 day:86400 tag:86400 tage:86400 jour:86400 día:86400
    dia:86400
    month:2629800 monat:2629800 mois:2629800 mes:2629800 year:31557600 jahr:31557600
    d:86400 week:604800 woche:604800 wochen:604800 semaine:604800 semana:604800
"""
_TIME = {name: float(size) for name, size in (pair.split(":") for pair in _UNIT_LIST.split())}
_SIZE = {
    "b": 1.0, "byte": 1.0, "kb": 1024.0, "kib": 1024.0, "kilobyte": 1024.0, "mb": 1024.0**2, "mib": 1024.0**2,
    "megabyte": 1024.0**2, "gb": 1024.0**3, "gib": 1024.0**3, "gigabyte": 1024.0**3, "tb": 1024.0**4,
}  # fmt: skip
_OTHER = {
    "%": ("percent", 1.0), "percent": ("percent", 1.0), "prozent": ("percent", 1.0), "px": ("px", 1.0),
    "pixel": ("px", 1.0), "rem": ("rem", 1.0), "em": ("em", 1.0), "pt": ("pt", 1.0), "k": ("", 1e3),
    "x": ("times", 1.0),
    "time": ("times", 1.0), "mal": ("times", 1.0), "fois": ("times", 1.0), "hundred": ("", 1e2), "thousand": ("", 1e3),
    "million": ("", 1e6), "dozen": ("", 12.0), "€": ("eur", 1.0), "eur": ("eur", 1.0), "usd": ("usd", 1.0),
}  # fmt: skip
_SINGULAR = {name: ("time", size) for name, size in _TIME.items()} | {n: ("size", size) for n, size in _SIZE.items()}
UNITS: dict[str, tuple[str, float]] = (
    {f"{name}s": unit for name, unit in (_SINGULAR | _OTHER).items() if len(name) > 2} | _SINGULAR | _OTHER
)
"""The dimension of each unit, and its size."""

_ALTERNATIVE_LIST = """
    tab tabs | space spaces, camelcase | snake_case | pascalcase | kebab-case,
    postgres postgresql | mysql | mariadb | sqlite | mongodb mongo | dynamodb | oracle, npm | yarn | pnpm | bun,
    pip | poetry | pipenv | uv | conda, pytest | unittest | nose, jest | vitest | mocha | jasmine,
    cypress | playwright | selenium | puppeteer, redux | zustand | mobx | recoil | jotai, pinia | vuex, axios | fetch,
    requests | httpx | aiohttp, django | flask | fastapi, express | fastify | koa | nestjs,
    react | vue | angular | svelte, tailwind | bootstrap, rebase | merge | squash, rest | graphql | grpc,
    json | yaml | toml | xml | csv, main | master | trunk | develop, prisma | drizzle | typeorm | sequelize,
    black | ruff | flake8 | pylint, eslint | biome, webpack | vite | rollup | esbuild | parcel, lf | crlf,
    aws | gcp | azure, github | gitlab | bitbucket, kafka | rabbitmq | sqs, redis | memcached, utc | local,
    english | german | french | spanish | portuguese | italian | dutch,
    monday | tuesday | wednesday | thursday | friday | saturday | sunday, single | double, true | false, yes | no,
    light | dark, named | default, directly straight direkt directement directamente diretamente | indirectly,
    sync synchronous synchronously | async asynchronous asynchronously, public | private, mutable | immutable,
    required mandatory | optional, before | after, above | below, atleast minimum min | atmost maximum max,
    first | last, more | less fewer, add adds added | remove removes removed,
    include includes included | exclude excludes excluded, show shows shown | hide hides hidden,
    allow allows allowed | deny denies denied, start starts started begin | finish finished end,
    open opens opened | close closes closed,
    increase increases increased raise raised | decrease decreases decreased reduce reduced lower lowered,
    accept accepts accepted | reject rejects rejected, lock locks locked | unlock unlocks unlocked,
    pass passes passed succeed succeeds | fail fails failed, up | down, left | right, inside | outside,
    uppercase | lowercase, horizontal | vertical, ascending | descending, inline | external, relative | absolute,
    local | global, new | old, short | long, small | large big, simple | complex, hot | cold,
    eager eagerly | lazy lazily, strict | loose
"""


def _grouped() -> dict[str, tuple[str, str]]:
    groups: dict[str, tuple[str, str]] = {}
    for listed in _ALTERNATIVE_LIST.split(","):
        group = "|" + listed.split()[0]
        for option in listed.split("|"):
            names = [terms(word)[0] for word in option.split()]
            for name in names:
                groups.setdefault(name, (names[0], group))
    return groups


ALTERNATIVES: dict[str, tuple[str, str]] = _grouped()
"""Terms that exclude each other in the same position: canonical term, and name of the group."""

SETTINGS = frozenset(
    terms("""
    default limit port branch name path url version level mode format timezone currency database language style theme
    host owner region runtime engine licence license encoding charset locale title
""")
)
"""Things that have one value at a time."""

COUNTED = frozenset(terms("step phase part page line chapter section figure row column ticket milestone"))
"""Things that are numbered: the second step does not contradict the first."""
