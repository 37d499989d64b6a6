"""Keys and tokens that their own shape gives away, whatever stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.capture.sanitising.finding import Finding
from heedful.capture.sanitising.places import places
from heedful.capture.sanitising.randomness import entropy, is_dummy, is_random

# What vendors put before their tokens, so that they are recognised. After it comes at least half of what is usual: a
# text may have been cut, and vendors make tokens longer over time.
_PREFIXED = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      gh[pousr]_[A-Za-z0-9_.-]{16,} | github_pat_\w{20,}
    | gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[\w.-]{16,} | GR1348941[\w-]{16,}
    | xox[a-z]-(?:\d-)?[\w-]{12,} | xapp-\d-[\w-]{12,} | xwfp-[\w-]{16,}
    | sk-(?:proj-|svcacct-|admin-|ant-\w{2,8}-|or-v1-|lf-|None-)?[\w-]{16,} | sess-[A-Za-z0-9]{30,}
    | [sr]k_(?:live|test|prod)_[\w]{12,} | whsec_[\w+/=]{16,} | rzp_(?:live|test)_[A-Za-z0-9]{10,}
    | AIza[\w-]{20,} | GOCSPX-[\w-]{16,} | (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16} | ABSK[A-Za-z0-9+/=]{40,}
    | LTAI[A-Za-z0-9]{12,20} | AKID[A-Za-z0-9]{32} | npm_[A-Za-z0-9]{20,} | pypi-[\w-]{30,} | rubygems_[a-f0-9]{24,}
    | dckr_(?:pat|oat)_[\w-]{16,} | SWMTKN-1-[\w-]{24,} | SWMKEY-1-[\w+/-]{24,}
    | heedful_(?:key|link)_[A-Za-z0-9]{24,}
    | hf_[A-Za-z0-9_-]{24,} | api_org_[A-Za-z]{30,} | r8_[A-Za-z0-9]{24,} | gsk_[A-Za-z0-9]{24,}
    | pplx-[A-Za-z0-9]{24,}
    | xai-[A-Za-z0-9]{30,} | tvly-(?:dev-|prod-)?[A-Za-z0-9-]{20,} | tgp_v1_[\w-]{24,} | nvapi-[\w-]{24,}
    | fw_[A-Za-z0-9]{20,}
    | jina_[\w-]{24,} | pa-[\w-]{40,} | lsv2_(?:pt|sk)_[\w]{24,} | pcsk_[\w]{24,} | csk-[a-z0-9]{30,}
    | do[por]_v1_[a-f0-9]{24,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{16,} | sq0[a-z]{3}-[\w-]{16,} | EAAA[\w-]{50,}
    | glsa_[\w]{20,} | glc_[\w+/=]{24,} | lin_(?:api|oauth)_[A-Za-z0-9]{20,} | ntn_[A-Za-z0-9]{24,} | figd_[\w-]{20,}
    | ph[cxs]_[A-Za-z0-9]{24,} | sntry[su]_[\w+/=.-]{24,} | PMAK-[a-f0-9-]{24,} | NR(?:AK|JS|II|AA)-[\w-]{16,}
    | ATATT3[\w=-]{24,} | ATCTT3[\w=-]{24,} | ATBB[A-Za-z0-9]{20,} | dapi[a-f0-9]{32} | AKCp[A-Za-z0-9]{40,}
    | (?:ops_|fo1_)[\w-]{40,} | pul-[a-f0-9]{40} | sb[pv]_[a-f0-9]{30,} | sb_(?:secret|publishable)_[\w-]{20,}
    | tskey-[\w-]{16,} | xkeysib-[\w-]{30,} | CLOJARS_[a-z0-9]{30,} | FLWSECK[\w-]{16,} | EZ[AT]K[A-Za-z0-9]{30,}
    | AGE-SECRET-KEY-1[A-Z0-9]{30,} | S[UAONC][A-Z2-7]{56} | key-[a-f0-9]{32} | [A-Za-z0-9]{32}-us\d{1,2}
    | (?:SK|AC)(?:[a-f0-9]{32}|[A-F0-9]{32})
    | _gitlab_session=[\w%-]{16,} | vercel_[A-Za-z0-9]{20,} | vc[pikar]_[A-Za-z0-9]{24,} | rnd_[A-Za-z0-9]{24,}
    | nfp_[A-Za-z0-9]{30,} | ddp_[A-Za-z0-9]{30,} | bkua_[a-f0-9]{30,} | CFPAT-[\w-]{30,} | e2b_[a-f0-9]{30,}
    | fc-[a-f0-9]{32}
    | [\w-]{40,120}JQQJ99[\w=+/-]{16,}
    )""",
    re.VERBOSE,
)
# The same cut off by the end of the text: little is left, so only prefixes that nothing else begins with.
_CUT = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abpsr]-|xapp-\d-|sk-(?:proj|ant|svcacct|or-v1)-|[sr]k_live_"
    r"|AIza|GOCSPX-|AKIA|ASIA|npm_|dckr_pat_|shpat_|whsec_|hvs\.|ATATT3|eyJhbGci|AGE-SECRET-KEY-1)[\w./+=-]{3,}\Z"
)
_CLOUD = ("AKIA", "ASIA", "ABIA", "ACCA", "LTAI")  # as long as they are, they are nothing else
_RUN = re.compile(r"[0-9][A-Za-z0-9_-]*")  # from its first digit: a token without any is hardly ever drawn
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
_SHORTEST_RUN, _LONGEST_RUN = 15, 4_096
_LONGEST_PREFIX = 60  # of a run, before its first digit

# Those with a dot, a colon or a slash in them: what to look for, and what must stand there.
_MARKED = (
    (
        "eyJ",
        re.compile(
            r"eyJ[\w-]{6,}+(?:\.[\w%=+/-]{4,}+){1,4}"
            r"|eyJ(?:hbGci|0eXAi|raWQi|rIjoi|2ZXIi|hdWQi)[\w+/=-]{16,}+"
        ),
    ),
    ("SG.", re.compile(r"SG\.[\w-]{16,}(?:\.[\w-]{16,})?")),
    ("ya29.", re.compile(r"ya29\.[\w.-]{20,}")),
    ("1//0", re.compile(r"1//0[\w-]{24,}")),
    ("dp.", re.compile(r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,35}\.)?[A-Za-z0-9]{24,}")),
    ("hvs.", re.compile(r"hvs\.[\w-]{20,}")),
    ("hvb.", re.compile(r"hvb\.[\w-]{20,}")),
    (".atlasv1.", re.compile(r"\.atlasv1\.[\w-]{40,}")),
    ("Q~", re.compile(r"Q~[\w.~-]{30,36}")),
    (":AA", re.compile(r":AA[A-Za-z][\w-]{30,}")),
    (":APA91", re.compile(r":APA91[\w-]{60,}")),
    (
        "hook",  # the host is worth reading, the rest is the secret
        re.compile(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{16,})|hooks/\d{15,}/([\w-]{24,})"
            r"|hook\.office\.com/([\w@/.-]{40,})"
        ),
    ),
    (".logic.azure.com", re.compile(r"\.logic\.azure\.com[:\d]{0,5}/([^\s\"'<>]{40,600})")),
    ("access_token$", re.compile(r"access_token\$(?:production|sandbox)\$(\w{8,}\$\w{20,})")),
)
_BEFORE = {  # what belongs to the token to the left of what was looked for
    ".atlasv1.": re.compile(r"[A-Za-z0-9]{14}$"),
    "Q~": re.compile(r"(?<![\w.~-])[\w.~-]{3}\d$"),
    ":AA": re.compile(r"(?<!\d)\d{8,10}$"),
    ":APA91": re.compile(r"[\w-]{11,22}$"),
}
_DISCORD = re.compile(r"[MNO][A-Za-z\d_-]{22,27}\.[\w-]{6}\.[\w-]{27,}")


def tokens(text: str) -> Iterator[Finding]:
    for run in _RUN.finditer(text):
        start, end = run.span()
        before = text[max(0, start - _LONGEST_PREFIX) : start]
        start -= len(before) - len(before.rstrip(_SIGNS))
        if end - start >= _SHORTEST_RUN:
            yield from _in_run(text, start, min(end, start + _LONGEST_RUN))
    for mark, shape in _MARKED:
        if mark in text:
            yield from _marked(text, mark, shape)
    end = len(text.rstrip())
    last = text[max(0, end - 200) : end].split()
    if last and (cut := _CUT.search(last[-1])):
        yield Finding(end - len(cut.group()), end, "TOKEN", cut.group())
    if beginning := _beginning(text):
        yield beginning


def _in_run(text: str, start: int, end: int) -> Iterator[Finding]:
    at = start
    while begun := _PREFIXED.search(text, at, end):
        # A token may go on beyond the run: over dots, slashes and the signs that fill base64.
        found = (begun.end() == end and _PREFIXED.match(text, begun.start())) or begun
        value = found.group().rstrip(".-")
        if not is_dummy(value) and _has_chance(value):
            yield Finding(found.start(), found.start() + len(value), "TOKEN", value)
        at = found.end()
    if text[end : end + 1] == "." and text[start] in "MNO" and (bot := _DISCORD.match(text, start)):
        yield Finding(*bot.span(), "TOKEN", bot.group())


def _has_chance(value: str) -> bool:
    """Not a name in code that happens to begin like a token: `sk-loading-indicator-large`."""
    if value.startswith(_CLOUD):
        return True
    body = re.split("[_-]", value, maxsplit=1)[-1]
    body = body if len(body) >= 8 else value
    return is_random(body, 8) or (len(body) >= 24 and not any(sign in body for sign in "-_") and entropy(body) > 3.5)


def _marked(text: str, mark: str, shape: re.Pattern[str]) -> Iterator[Finding]:
    end = 0
    for at in places(mark, text):
        if at < end or (at and mark[0].isalpha() and mark != "hook" and text[at - 1].isalnum()):
            continue
        found = shape.match(text, at)
        if found is None or is_dummy(found.group()):
            continue
        start, end = found.span(found.lastindex or 0)
        if before := _BEFORE.get(mark):
            head = before.search(text, max(0, start - 24), start)
            start = head.start() if head else end
        value = text[start:end].rstrip(".-")
        if value:
            yield Finding(start, start + len(value), "TOKEN", value)


def _beginning(text: str) -> Finding | None:
    """What the text begins with may be the rest of a token: mixed letters and digits that no name is made of."""
    found = re.match(r"…?[A-Za-z0-9_+/-]{20,200}={0,2}(?![\w./:=(-])", text)
    if found is None:
        return None
    value = found.group().lstrip("…")
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value)) and sum(map(str.isdigit, value)) >= 3
    if not mixed or "/" in value or not is_random(value, 20) or entropy(value) < 3.8:
        return None
    return Finding(found.end() - len(value), found.end(), "TOKEN", value)
