"""Word lists of the substitution: function words, common words, negations."""

from __future__ import annotations

from heedful.text.stems import stem
from heedful.text.words import DENIALS, FUNCTION_WORDS, NEGATIONS, words_of


def _pairs(listed: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(pair.split()) for pair in listed.split(","))


SMALL_WORDS = FUNCTION_WORDS | DENIALS | words_of("n't without yes ok now one")
"""No correction is about these."""

# Words that mean something else in nearly every sentence: replaced only where more than the word itself agrees.
COMMON = words_of("""
    one two three four five six seven eight nine ten first second third last next new old good bad best better worse
    big small large little long short high low higher lower fast slow early late right left wrong true false same other
    another many much few less least great own main full empty open close closed able sure real simple easy hard clear
    time times day days week weeks month months year years hour hours minute minutes today tomorrow yesterday now later
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december morning evening night
    red green blue yellow black white gray grey orange purple brown pink
    thing things way ways part parts case cases point points place lot kind type types form line lines word words name
    names number numbers list item items set group side end start top bottom back front step steps level value values
    text file files page pages data key keys code user users man woman people person team company work works job
    use used uses using make makes made making get gets got getting go goes going gone went take takes took see sees
    saw seen say
    says said know known think want wants need needs look looks find finds found give gives given gave tell told ask
    asked work call called calls try tried run runs running show shows shown keep keeps let lets put puts come comes
    came add added adds read reads write writes written help like likes change changed changes move moved turn
    please thanks thank hello hi hey well really maybe again always never often sometimes still already yet even ever
    up down out off away up-to-date yes no okay done left result results example check default
    before after above below inside outside within across against toward towards among behind beside
    neu alt gut groß klein tag tage jahr jahre monat woche zeit name datei nummer seite
    nouveau bon grand petit jour an mois temps nom nuevo bueno grande día año mes hora nombre
""")
# Words before a noun that are no part of a compound, besides those that their ending tells.
ADJECTIVES = words_of("""
    new old good bad best better worse big small large little long short high low higher lower fast slow early late
    right wrong true false same next last first second third few full empty open real simple easy hard great poor rich
    young strange happy sad angry busy free whole certain sure ready main own only other another such current
    recent present former future regular frequent important different patient silent ancient human modern local single
    double final total extra major minor senior junior loyal typical likely unlikely friendly lonely elderly nice kind
    clever quiet strong weak warm cold hot rude proud brave calm fair lucky unhappy healthy wealthy hungry
    thirsty noisy dirty clean dry wet ill sick well dear cheap expensive private public
""")
QUANTITIES = words_of("""
    many much few several some any every each all both no enough plenty most more less fewer half two three four five
    six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand other another
""")
ADVERBS = words_of("""
    then now also too always never often here there today tomorrow yesterday again soon ago back up down out off away
    yet still already once twice alone together home abroad later early late first last next only just even maybe
    perhaps sometimes ever else instead anyway around
""")
COMMON_STEMS = frozenset(map(stem, COMMON))

# Not a name of its own when written small, but a name when written with a capital.
NAMES_BY_CAPITAL = words_of("""
    may march august mark bill will grace hope faith rose june april jack frank rich art pat dean china turkey polish
    go swift rust ruby python java perl dart shell word excel access outlook teams windows office chrome edge safari
    apple amazon oracle slack discord zoom meta notion linear cursor spark flask express react angular node rails
    sun mercury amber sage mint reading mobile nice bath job
""")
DENYING = NEGATIONS | words_of("""
    unlike except excluding avoid avoids avoiding formerly former previously previous originally old deprecated obsolete
    legacy rarely wrongly mistakenly incorrectly erroneously
    versus vs aka instead replaces replaced replacing supersedes superseded forbids forbidden prohibits misspelled
    mislabeled unless lacks
    statt anstatt außer früher ehemals sauf anciennement excepto antes mai
""")
DENYING_PAIRS = _pairs("""
    rather than, other than, used to, opposed to, contrary to, free of, free from, changed from, change from,
    renamed from, rename from, switched from, switch from, switching from, migrated from, migrate from, migrating from,
    moved from, moving from, converted from, differs from, different from, difference between, distinguish between,
    confuse with, confused with, au lieu, lugar de, vez de, invece di, plutôt que
""")
NOT_DENYING_PAIRS = _pairs("""
    no later, no more, no less, no earlier, no matter, not only, not later, not just, invoice no, order no
""")
# Who is spoken of; what one person says of `my` is `your` in the answer.
PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "you", "your", "yours"), "speaker"),
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs"), "they"),
}
NAMING = words_of("""
    said say says saying wrote write called named word words term terms phrase spelled typed titled labelled labeled
    quote quoted quoting mention mentioned mentions mentioning literally heißt hieß sagte wort
""")
REVISED = words_of("""
    renamed replaced deprecated removed superseded obsolete misspelled incorrect wrong mistaken retired dropped
    umbenannt ersetzt falsch
""")
TITLES = words_of("mr mrs ms miss dr prof professor sir herr frau monsieur madame señor señora ceo cto cfo president")
FORBIDDING = words_of("don't dont do not never avoid please always stop without no")
DEMANDING = words_of("""
    use write add make remove keep put prefer include be try say call ensure follow start begin return format explain
    give show leave let should must need needs it you that this i we change replace rename delete fix
""")
