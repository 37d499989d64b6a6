"""Conversations to be mined, written for these tests."""

from __future__ import annotations

from heedful.records.insight import InsightCandidate, InsightCategory, Quote
from heedful.records.transcript import Message, Source, Speaker, ToolCall, Transcript


def talk(*said: str | Message) -> Transcript:
    """A person and an assistant in turns, the person first; a whole message stands as it is."""
    messages, roles = [], (Speaker.USER, Speaker.ASSISTANT)
    for number, one in enumerate(said):
        messages.append(Message(f"m{number}", roles[number % 2], one) if isinstance(one, str) else one)
    return Transcript(Source("talk", "chatgpt"), tuple(messages))


HANGING = talk(
    "pytest hangs at the end of the run although all tests are green. Any idea?",
    "Let me look at the fixtures first.",
    Message("m2", Speaker.TOOL, "conftest.py: def client(): ..."),
    """Found it.

**Root cause:** the `client` fixture starts a `ThreadPoolExecutor` and never shuts it down. Python joins all executor \
threads at interpreter exit, so pytest waits forever for the worker that is blocked on `queue.get()`.

**Fix:** yield the client from the fixture and call `executor.shutdown(cancel_futures=True)` afterwards.

All tests pass.""",
    "great, works",
)
FOUND = InsightCandidate(
    InsightCategory.BUG_FIX,
    "pytest hangs at exit: the `client` fixture never shuts its executor down",
    {
        "cause": "The `client` fixture starts a `ThreadPoolExecutor` and never shuts it down: pytest waits for it.",
        "fix": "Yield the client from the fixture and call `executor.shutdown(cancel_futures=True)` afterwards.",
    },
    ("pytest", "threading", "bug-fix"),
    (
        Quote("m3", Speaker.ASSISTANT, "call `executor.shutdown(cancel_futures=True)` afterwards."),
        Quote("m0", Speaker.USER, "pytest hangs at the end of the run although all tests are green."),
    ),
    "pytest hung at the end of the run.",
)
"""What a language model may make of it."""
SESSIONS = talk(
    "Should we put sessions into Redis or keep them in Postgres?",
    """There are two options.

**Option A: Move the sessions to Redis, which has expiry built in**

**Option B: Keep the sessions in Postgres with a nightly expiry job**

I'd recommend Option B — at 50 requests per second the lookup by primary key takes under a millisecond, so Redis would \
only add a second system that can fail.""",
    "ok, B it is",
)
IMPORT = talk(
    "the import takes forever",
    "The import went from 4 min to 9 s. Each row was committed on its own, so SQLite had to sync to disk 40,000 times. "
    "Wrapping the loop in one transaction made it 26× faster because there is a single sync at the end. "
    "The trade-off is that a failing row now rolls back the whole import.",
    "wow",
)
LIKE = talk(
    "Why is my query with LIKE '%foo' so slow although there is an index?",
    "A B-tree index in Postgres can only be used for a pattern that starts with fixed characters, because the index is "
    "sorted from the first character on. `LIKE '%foo'` has to look at every row. Use a trigram index instead: "
    "`CREATE INDEX ON t USING gin (name gin_trgm_ops)`.",
    "that brought it down to 20 ms, thanks",
)
PUBLISH = talk(
    "what are the steps to publish a Docker image to our registry from CI?",
    """1. Log in to the registry with `docker login -u ci --password-stdin`.
2. Build the image with the commit as its tag: `docker build -t app:$SHA .`
3. Run the smoke test against the built image before pushing it.
4. Push the tag with `docker push app:$SHA`, then move `latest` to it.""",
    "nice",
)
UTCNOW = talk(
    "is it ok to call datetime.utcnow() here?",
    "Don't use `datetime.utcnow()` in Python: it returns a naive value, so comparing it with an aware one raises a "
    "TypeError and serialising it loses the offset. Use `datetime.now(timezone.utc)` instead, which is aware.",
    "ok",
)
MONEY = talk(
    "How should I store money amounts in the database?",
    "You should store money as integers in the smallest unit, because floats cannot represent most decimal fractions "
    "exactly. In Postgres a `numeric` column is fine as well, since it is exact, but it is slower in aggregates.",
    "thanks",
)
RETRY = talk(
    "the workers hammer the mail server after an outage, can we fix that in the code?",
    "The retry uses a random backoff per worker in `asyncio`, because equal delays make all workers come back in the "
    "same second and knock the server over again.",
    "good",
)
ARM = talk(
    "build the arm image please, the release is waiting",
    Message(
        "m1", Speaker.ASSISTANT, "Building.", tools=(ToolCall("Bash", "docker build --platform linux/arm64 -t app ."),)
    ),
    Message("m2", Speaker.TOOL, "ERROR: exec format error", failed=True),
    Message(
        "m3",
        Speaker.ASSISTANT,
        "The default `docker` driver cannot emulate other platforms, so the build needs a `docker-container` builder "
        "with QEMU registered.",
        tools=(ToolCall("Bash", "docker buildx build --platform linux/arm64 --builder multi -t app ."),),
    ),
    Message("m4", Speaker.TOOL, "done"),
    Message("m5", Speaker.ASSISTANT, "The image is built."),
)
COOKING = talk(
    "What can I cook with leeks and potatoes?",
    "A leek and potato soup is the classic choice. Start by sweating the leeks in butter so that they don't brown, "
    "because browned leeks turn bitter. Then add the diced potatoes and stock, and simmer for 20 minutes.",
    "How do I make it creamier?",
    "Add cream at the end instead of at the beginning, otherwise it can split. You should always blend the soup before "
    "adding the cream, because it gets lumpy otherwise.",
    "Perfect, thanks!",
)
NARRATED = talk(
    "Rename the function foo to bar everywhere, and fix the tests",
    "I'll rename it. Let me search for all usages first, because there may be some in the docs.",
    "go on",
    "Now let me update the tests. The import error in the tests should be fixed by that as well.",
    "ok",
    "All tests pass. I renamed `foo` to `bar` in 4 files and fixed the import error in the tests, so all is green.",
)
