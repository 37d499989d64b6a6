"""What a sentence states: a symptom, a cause, a fix, a choice, a reason; stated by whole words, in prose without "
"code."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

CODE: Final = "zcodez"  # stands for a piece of code


class Cue:
    """Bits of a whole number: they are asked for a hundred thousand times a minute, and flags of `enum` are slow."""

    NONE: Final = 0
    SYMPTOM: Final = 1 << 0
    CAUSE: Final = 1 << 1
    FIX: Final = 1 << 2
    CHOICE: Final = 1 << 3
    REASON: Final = 1 << 4
    WARNING: Final = 1 << 5
    ADVICE: Final = 1 << 6
    PERFORMANCE: Final = 1 << 7
    MEASURE: Final = 1 << 8
    TRADE_OFF: Final = 1 << 9
    CONDITION: Final = 1 << 10
    TECHNIQUE: Final = 1 << 11
    FACT: Final = 1 << 12
    PROVEN: Final = 1 << 13
    OPTION: Final = 1 << 14


class Words(NamedTuple):
    kinds: frozenset[str]
    padded: str
    """In order, lower case, one space between and around."""


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _phrases(phrases: str) -> tuple[str, ...]:
    return tuple(f" {' '.join(phrase.split())} " for phrase in phrases.split(","))


_WORDS: dict[int, frozenset[str]] = {
    Cue.SYMPTOM: _words(
        """fail fails failed failing failure failures crash crashes crashed crashing hang hangs hung deadlock deadlocks
        leak leaks leaked leaking broken breaks broke timeout stuck error errors exception panic panics corrupt corrupts
        corrupted corruption wrong wrongly incorrect incorrectly silently lost loses slow stale duplicated regression
        flaky mismatch overflow missing blank unreachable inconsistent stalls blocked blocks collides collision drops
        dropped misses missed swallowed swallows bug undefined rejected denied truncated garbled fragmented confusing"""
    ),
    Cue.CAUSE: _words("because caused causes culprit cause"),
    Cue.FIX: _words("fix fixed fixes solution workaround solves solved resolves resolved instead"),
    Cue.CHOICE: _words(
        "recommend recommended recommendation chose chosen choose decided decision prefer opted preferable"
    ),
    Cue.REASON: _words("because since otherwise avoids avoiding prevents preventing ensures guarantees"),
    Cue.WARNING: _words("gotcha pitfall trap beware dangerous unsafe fragile brittle footgun antipattern misleading"),
    Cue.ADVICE: _words("should always prefer idiomatic convention must"),
    Cue.PERFORMANCE: _words(
        """faster slower speedup performance latency throughput memory allocation allocations overhead startup cpu
        cache cached caching expensive cheap cheaper quadratic linear slow ram optimization optimize optimized"""
    ),
    Cue.TRADE_OFF: _words("tradeoff tradeoffs downside downsides cost costs price con cons"),
    Cue.CONDITION: _words("when whenever if unless"),
    Cue.TECHNIQUE: _words(
        """wrap wraps wrapping wrapped extract guard guards mutex lock lazily lazy incremental incrementally idempotent
        deterministic debounce retry backoff cooldown fallback pattern invariant memoize batch batches
        transaction snapshot helper closure sentinel atomic atomically hermetic"""
    ),
    Cue.PROVEN: _words("confirmed verified proven measured reproduced"),
}

_PHRASES: dict[int, tuple[str, ...]] = {
    Cue.SYMPTOM: _phrases(
        "does not work, doesn't work, not working, times out, timed out, never returns, no longer works, out of "
        "memory, "
        "race condition, not found, can't find, cannot find, does nothing, has no effect, wasn't being, isn't being, "
        "never fires, never called, too slow, past the end, off by one"
    ),
    Cue.CAUSE: _phrases(
        "root cause, due to, the reason is, the reason was, turns out, turned out, that's why, which is why, "
        "this is why, "
        "the problem is, the problem was, the issue is, the issue was, the bug is, the bug was, comes from, "
        "stems from, "
        "happens when, only happens when, the real problem, the actual problem, the real issue, was never, "
        "triggered by, the mechanism, the catch"
    ),
    Cue.FIX: _phrases(
        "the fix, fixed by, resolved by, solved by, the solution, changed to, switch to, switched to, replace "
        "it with, "
        "replaced with, needs to, need to be, must be, can be fixed, now uses, now returns, now reads, now does, "
        "no longer, to fix, you need to, you can fix, the right fix, the real fix, the clean fix"
    ),
    Cue.CHOICE: _phrases(
        "i'd go with, i would go with, i'd keep, go with, went with, going with, i'd suggest, settled on, opted for, "
        "the right call, the right choice, the right home, the right place, better fit, the better option, "
        "the cleanest approach, the cleanest option, the simplest option, best option, makes more sense, rather "
        "than, "
        "we chose, over the alternative, my recommendation, worth keeping"
    ),
    Cue.REASON: _phrases(
        "so that, the reason, which means, which keeps, which avoids, which makes, which lets, which prevents, "
        "to avoid, "
        "to prevent, in order to, that way, due to, this avoids, this keeps, it avoids, it keeps, this means, so it, "
        "so they, so the, so a, so an, so we, so you, so there, the benefit, the advantage, it's the, easier to"
    ),
    Cue.WARNING: _phrases(
        "do not use, do not rely, don't use, must not, should not, shouldn't, be careful, never use, never "
        "call, never put, "
        "never store, never assume, never trust, avoid using, avoid the, avoid putting, anti pattern, bad idea, "
        "code smell, common mistake, watch out, "
        "is a trap, a trap for, easy to miss, not a guarantee, don't rely, never rely, is not safe, isn't safe"
    ),
    Cue.ADVICE: _phrases(
        "best practice, rule of thumb, make sure, good practice, it's better to, you should, the idiomatic"
    ),
    Cue.PERFORMANCE: _phrases(
        "binary size, scan time, startup time, per second, big o, full scan, n + 1, hot path, in parallel"
    ),
    Cue.TRADE_OFF: _phrases("trade off, trade offs, at the cost of, at the expense of, in exchange for, the price of"),
    Cue.CONDITION: _phrases("in case, only for, as long as, the moment"),
    Cue.TECHNIQUE: _phrases(
        "source of truth, double check, early return, guard clause, dependency injection, type alias, "
        "high water mark, in one place, so that each, single exit, fail closed, "
        "fail open, "
        "dead letter, feature flag, two pass, read only, append only"
    ),
    Cue.FACT: _phrases(
        "by default, under the hood, only works, works only, does not support, doesn't support, requires, is "
        "required, "
        "only includes, only reads, only writes, only runs, by itself, by themselves, on macos, on linux, on "
        "windows, "
        "in go, in python, in javascript, in typescript, in rust, in java, in sql, in postgres, in sqlite, in react, "
        "in git, in docker, the compiler, the linker, the runtime, the interpreter, built in, is case sensitive, "
        "is not thread safe, is thread safe, is inherited, is lazy, are lazy, prints the, lets you, stands for"
    ),
    Cue.PROVEN: _phrases("all tests pass, tests pass, builds clean, linter clean, full suite, works now, reproduces"),
    Cue.OPTION: _phrases(
        "option a, option b, option c, option d, option 1, option 2, option 3, the options, alternatives"
    ),
}

_WORD = re.compile(r"[a-z0-9][a-z0-9'_]*")
_CODE_SPAN = re.compile(r"`[^`]{1,300}`")
_DIGIT = re.compile(r"\d|O\(")
_MEASURE = re.compile(
    r"(?:\b\d[\d,.]{0,24}\s?(?:ms|µs|s|sec|seconds?|minutes?|[kmg]b|x|×|%|m)(?![\w-])|\bO\([^()]{1,20}\)|\d\s?(?:→|"
    r"->)\s?[~\d])",
    re.IGNORECASE,
)


def words(text: str) -> Words:
    found = _WORD.findall(_CODE_SPAN.sub(f" {CODE} ", text.replace("’", "'")).lower())
    return Words(frozenset(found), f" {' '.join(found)} ")


def cues(text: str, sentence: Words) -> int:
    kinds, padded = sentence
    found = Cue.REASON if " so " in padded[3:] else Cue.NONE
    for word in kinds:
        found |= _BY_WORD.get(word, 0)
        for phrase, cue in _BY_FIRST.get(word, ()):
            if not found & cue and phrase in padded:
                found |= cue
    return found | Cue.MEASURE if _DIGIT.search(text) and _MEASURE.search(text) else found


def _by_word() -> dict[str, int]:
    table: dict[str, int] = {}
    for cue, telling in _WORDS.items():
        for word in telling:
            table[word] = table.get(word, 0) | cue
    return table


def _by_first() -> dict[str, list[tuple[str, int]]]:
    """Phrases by their first word: most sentences have none of these."""
    table: dict[str, list[tuple[str, int]]] = {}
    for cue, phrases in _PHRASES.items():
        for phrase in phrases:
            table.setdefault(phrase.split()[0], []).append((phrase, cue))
    return table


_BY_WORD = _by_word()
_BY_FIRST = _by_first()
