"""The words by which durable instructions are told from requests, and what their subjects are called."""

from __future__ import annotations

from heedful.text.words import DENIALS, FUNCTION_WORDS, words_of

# What people say before they come to the point. A refusal among them makes what follows a correction.
OPENERS = words_of("""
    ok okay okey k kk mmk mmmk mm hm hmm hmmm yes yep yup yeah y ya sure right alright great thanks thx cool nice
    perfect good uh uhh uhhh um umm oh ah ahh hey hi hello so also and but then btw fwiw well actually please pls plz
    again just look listen wait sorry fine got man dude bro guys folks buddy plus oops important note nb reminder fyi
    finally therefore thus honestly seriously now bitte also ach ja gut und aber oui bon alors donc et mais sí si
    bueno vale pues y pero sim bom então e mas
""")
REFUSED_BY = words_of("no nope nah nooo noo wrong incorrect wth wtf ugh argh nein non não")
# `no npm` forbids npm; `no, use pnpm` and `no that is wrong` refuse.
AFTER_REFUSAL = words_of(
    "that that's thats the i i'm we it it's you your don't dont do not just please man dude this use let's"
)

# The base form of what an agent or a developer does; an instruction opens with one of these.
VERBS = words_of("""
    add adopt align alias annotate append apply archive ask assert assign assume attach audit avoid await back base be
    begin break bring build bump bundle cache call cancel capture catch change check checkout choose cite clean clear
    clone close co-locate collect colocate combine comment commit compare compile compose compress configure confirm
    consider consult consolidate construct convert copy cover create debug declare decompose default defer define
    delete depend deploy deprecate describe design destructure detect develop disable discuss display distinguish do
    document download draft drop duplicate edit embed employ enable encapsulate encode encrypt end enforce ensure
    escape evaluate exclude execute exit expect explain explore export expose extend extract fail fall favor favour
    fetch filter find finish fix flag focus follow force fork format generate get give go group guard handle hardcode
    hard-code have highlight hoist hook ignore implement import improve include increment indent index infer inherit
    init initialize initialise inject inline insert inspect install instrument integrate invoke isolate iterate join
    keep kill label launch lead leave let leverage limit lint link list load localize localise lock log look maintain
    make manage map mark match measure memoize mention merge migrate minify minimize minimise mirror mock model modify
    modularize monitor mount move mutate name nest normalize normalise note notify omit open optimize optimise order
    organize organise output overload override overwrite own package paginate parameterize parse pass paste patch
    perform persist pick pin ping place plan point poll populate post prefer prefix prepare present preserve print
    prioritize prioritise process profile prohibit propagate propose protect prove provide publish pull push put query
    quote raise read rebase rebuild record redact reduce refactor refer refuse register regenerate release reload rely
    remember remove rename render repeat replace reply report request require reset resolve respect respond restart
    restrict retry return reuse revert review rewrite roll rotate route run sanitize sanitise save say scan schedule
    scope search seed select send separate serialize serve set share ship show sign simplify skip sort specify split
    squash stage start state stay stick stop store stream strip structure stub style submit subscribe suggest
    summarize summarise supply support suppress switch sync synchronize tag take target tell terminate test think
    throw tie time touch track train translate treat trigger trim truncate trust try type uninstall unify unsubscribe
    unwrap update upgrade upload use utilize utilise validate verify version view vendor visit wait walk warn watch
    whitelist wire work wrap write double-check re-run rerun recheck cherry-pick force-push amend nitpick hand-edit
    swallow shadow leak speculate guess stash autoformat auto-format reformat invent fabricate abbreviate apologize
    apologise claim pretend proceed
""")
# After `always` or `never`, and not an instruction: how something behaves, or what has happened.
NOT_VERBS = words_of("""
    the a an in on at with like mind got had was were been seen gets gonna going to thought knew said did done made
    came went saw worked is are has it he she they we i you there that this these those really actually quite ever
    before inside outside within under over for from by as during through into onto only because when if unless and or
    but not again any been happened happens happen found_rule ran met told tried
""")
ENDS_IN_S = words_of(
    "focus process access pass address alias canvas discuss express compress suppress cross class miss less"
)
ENDS_IN_ED = words_of("need feed embed seed proceed exceed speed shed")
ENDS_IN_ING = words_of("bring ping string ring")

# `Tests must …`, `every endpoint needs …`: a rule about code, as long as no certain one of them is meant.
CODE_NOUNS = words_of("""
    test tests function functions method methods class classes component components file files commit commits branch
    branches import imports export exports endpoint endpoints variable variables type types interface interfaces
    comment comments doc docs docstring docstrings migration migrations hook hooks module modules package packages
    error errors exception exceptions log logs query queries secret secrets key keys name names pr prs script scripts
    constant constants dependency dependencies handler handlers controller controllers service services model models
    table tables column columns route routes page pages style styles string strings path paths config configs
    configuration flag flags fixture fixtures mock mocks helper helpers provider providers plugin plugins change
    changes feature features release releases version versions ticket tickets identifier identifiers label labels
    command commands message messages translation translations button buttons form forms url urls date dates timestamp
    timestamps header headers code api apis schema schemas enum enums struct structs bug bugs issue issues image
    images snapshot snapshots changelog readme documentation todo todos
""")
PROJECT_NOUNS = "repo|repos|repository|project|codebase|code base|code|monorepo|workspace|team|company|app|org|house"

# Words that let a sentence stand for one occasion only.
ONCE = (
    r"for now|now\W*$|right now|this time|for the moment|at the moment|for today|today|tonight|tomorrow|yesterday"
    r"|not now|yet"
    r"|later|temporarily|meanwhile|in the meantime|just this once|this once|once more|one last|last one|next one"
    r"|this (?:morning|afternoon|evening|week|sprint)|until (?:mon|tues|wednes|thurs|fri|satur|sun)day|next week"
    r"|quickly|real quick|a second|a sec|a moment|a minute"
)
# Requests to hold back on one occasion, however they are worded.
HELD_BACK = (
    r"^(?:don't |do not |dont |no |avoid )(?:make|making|do|doing|write|writing|change|changing|touch|touching|edit"
    r"|editing|modify|modifying|implement"
    r"|implementing|start|starting|begin|commit|committing|push|pushing|run|running|execute|build|apply|code|fix"
    r"|remove|delete|update|continue|proceed)\b"
    r"(?: (?:any|the|more|some|other|of|your|my|a|any more|actual|new|code|test|tests))*"
    r"(?: (?:code|changes?|edits?|files?|anything(?: else)?|work|implementation|coding|commits?|tests?|commands?"
    r"|fix(?:es)?|more|else|stuff|thing|coding))?"
    r"(?:,.*| (?:until|but|just|unless|without|before|while|and) .*| else)?$"
)
# Things that only the conversation can point at.
POINTED_AT = (
    r"(?:option|step|phase|chunk|stage|finding|item|point|number|part|piece|issue|question|task|bullet|case|variant"
    r"|approach|solution|alternative|proposal|suggestion|pr|line|lines|page|ticket|version)s?"
    r" (?:#?\d+\w?|[a-e]|one|two|three|four)\b"
    r"|#\d+|\bthe (?:first|second|third|fourth|former|latter|last|next|previous|other|following|same|above|below"
    r"|rest)\b"
    r"|\b(?:above|below|aforementioned|as discussed|as mentioned|as i said|like i said|as before|image #?\d+)\b"
    r"|\b(?:latter|former|old one|new one|other one|that one|this one)\b|\bboth of\b|\byour (?:fix|suggestion|plan|idea"
    r"|proposal|change|changes|answer|recommendation|last|previous|test|tests|code)\b"
)
# Whoever says this weighs or reports; they do not instruct.
DOUBTS = (
    r"maybe|perhaps|i think|i guess|i suspect|i wonder|i suppose|i assume|i believe|probably|possibly|might|could|would"
    r"|wouldn't|seems?|apparently|presumably|not sure|unsure|what if|let's say|suppose|imagine|assuming|wondering"
    r"|hopefully"
    r"|in theory|thoughts|feels like|sounds like|looks like|if we|if i|if they|whether|how come|why"
    r"|vielleicht|eventuell|peut-être|quizás|tal vez|talvez"
)
REPORTS = (
    r"(?:he|she|they|it|docs?|documentation|readme|error|linter|compiler|message|log|output|reviewer|agent|copilot"
    r"|client|customer|boss|someone|user|users|comment|ticket|spec|guide|article|author|prompt|model|claude|chatgpt|gpt"
    r"|cursor|gemini) (?:says?|said|states?|stated|claims?|claimed|suggests?|suggested|told|tells|recommends?"
    r"|recommended|mentions?|mentioned|asks?|asked|wants?|complains?|complained|wrote|writes)"
    r"|according to|i (?:said|told|asked|saw|read|found_rule|noticed|was|had|got|tried|have been|ran)"
)

# A sentence, or the end of one, that says why.
REASONS = (
    r"because|'cause|’cause|cause|since|so that|so (?:we|it|the|they|that|people|users|nobody|nothing|everyone|you|i)"
    r"|otherwise|or else|to avoid|to prevent|in order to|in order not to|due to|in case|for the sake of|given that"
    r"|that's (?:what|why|how)|the reason|as it|as they|as we|as that|as this"
    r"|weil|denn|damit|sonst|da sonst|parce que|car|puisque|sinon|afin|porque|para que|ya que|pois|senão"
)
JUDGED = (
    r"too (?:much|many|slow|big|long|cute|easy|hard|noisy|verbose|clever|complex|complicated|expensive|risky|brittle"
    r"|fragile"
    r"|generic|broad|magic|heavy)|noise|noisy|confus\w+|expensive|immaterial|misleading|sprawl|brittle|flaky|fragile"
    r"|risky"
    r"|dangerous|unsafe|insecure|pointless|redundant|unnecessary|overkill|duplicat\w+|waste\w*|hard to (?:read|maintain"
    r"|test|debug|review|follow|understand)|breaks?|broke|leaks?|fails?|slows?|unlikely|not a goal|isn't a goal"
    r"|few people|lots of people|lots of users|most people|nobody|no one|not worth|bad (?:practice|idea|habit)"
    r"|error[- ]prone|unreadable|unmaintainable|deprecated|costs?|doesn't scale|does not scale"
)

# Before `that`, these make it a conjunction: `remember that`.
JOINED_BY_THAT = words_of("""
    so such now sure ensure remember mind note means mean given provided things everything anything something all
    those know prefer check verify assume
""")

# Before `that`, these make it point at something: `do that`.
POINTING_TO_THAT = words_of("""
    do doing did like use using want for of with to in on about as and than put call add remove keep need after
    before from by at into change fix run make just not only stop see
""")

# Words that no `it` can stand for.
UNNAMING = words_of("""
    anything something everything nothing stuff thing things way time lot everyone someone a an the to of in on at
    by for with and or but not no never always don't do does please you your we our i my be is are should must can
    will would could just only also when if whenever before after every each any all ever from now make sure need
    have has let's use run keep put add remove fix change check want prefer remember
""")

# Words that two sentences may share without being about the same.
SHARED_BY_ALL = FUNCTION_WORDS | DENIALS | words_of("use using let's don't now it's one user code file files")
