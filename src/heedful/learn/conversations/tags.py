"""Tags of an insight: technologies, tools, file types and names it speaks of; lower case, with hyphens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from heedful.records.insight import TAGS_LEAST, TAGS_MOST
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

_READ = 6_000  # characters
_LONGEST = 40
TECHNOLOGIES = words_of("""
    git github gitlab gh docker kubernetes kubectl helm terraform ansible aws gcp azure s3 lambda nginx redis
    postgres postgresql mysql sqlite mongodb duckdb kafka rabbitmq graphql grpc http https websocket websockets
    oauth jwt tls ssl ssh dns cors csrf xss sql html css javascript typescript python golang rust java kotlin swift
    ruby php scala haskell elixir c++ c# .net node nodejs npm pnpm yarn bun deno vite webpack esbuild rollup babel
    eslint prettier react nextjs next.js vue svelte angular tailwind redux django flask fastapi pydantic sqlalchemy
    alembic celery pytest mypy ruff pip poetry uv conda numpy pandas pytorch tensorflow jupyter rails rspec gradle
    maven junit go.mod gofmt golangci-lint goroutine goroutines fsnotify cobra cargo clippy tokio serde cmake
    makefile gcc clang llvm wasm webassembly bash zsh shell powershell tmux vim vscode json jsonl yaml toml csv xml
    markdown regex regexp utf-8 unicode cron systemd linux macos windows darwin ubuntu debian alpine homebrew brew
    apt xcode android ios selenium playwright cypress jest vitest mocha storybook figma prometheus grafana
    opentelemetry otel sentry datadog posthog elasticsearch fts5 lucene cgo apfs re2 goreleaser semver dockerfile
    pre-commit github-actions virtualenv venv asyncio threading multiprocessing mutex orm webhook bazel cloudflare
    dart dotnet drizzle electron fastify firebase flutter gcloud heroku htmx husky jenkins jira jotai jquery kysely
    laravel lodash logback lua mongoose nestjs netlify npx nuxt nvm openapi perl phpunit pinia pipenv prisma
    protobuf pylint pyright rubocop sass scss sequelize shadcn snowflake supabase sveltekit swiftui tanstack tox
    trpc turborepo typeorm unittest uvicorn vercel vuex wrangler zig zod zustand
""")
# What many conversations are held with or built for: good to be found by, but no sign of a fact about a tool.
_SURROUNDINGS = words_of(
    "cursor codex gemini claude copilot openai anthropic ollama llm mcp cli api sdk tui ci async migration migrations"
)
_FILE_TYPES = {
    "go": "go", "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "jsx": "javascript",
    "rs": "rust", "rb": "ruby", "java": "java", "kt": "kotlin", "md": "markdown", "yml": "yaml", "yaml": "yaml",
    "toml": "toml", "json": "json", "jsonl": "jsonl", "sh": "shell", "sql": "sql", "css": "css", "html": "html",
    "tf": "terraform", "cs": "c#", "cpp": "c++", "swift": "swift", "php": "php",
}  # fmt: skip
_SPOKEN = {"golang": "go", "postgresql": "postgres", "nodejs": "node", "otel": "opentelemetry", "next.js": "nextjs"}
_WORD = re.compile(r"[a-z][a-z0-9.+#-]*[a-z0-9+#]|\.net")
_LANGUAGE = re.compile(
    r"\b(?:in|for|with|a|the) (Go|C|R|Swift|Dart|Zig|Lua|Perl|Bash)\b|\bGo's\b|"
    r"\b(go (?:mod|build|test|run|vet|get|install))\b"
)
_EXTENSION = re.compile(r"[\w*-]\.([a-z]{1,5})\b")
_CODE = re.compile(r"`([^`\n]{2,60})`")
_COMMAND = re.compile(r"([a-z][a-z0-9-]{1,20}) (?:[a-z-]|--)")
_NAME = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)?(?:\(\))?")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CONTENT = re.compile(r"[a-z][a-z-]{4,}")
_DULL = (
    FUNCTION_WORDS
    | NEGATIONS
    | words_of("""
    above after again against before below every further other already always actually really still using instead
    rather things thing something makes means keeps needs takes gives called whole right wrong first second third
    problem cause reason change changes changed result options option choice better avoid causes trade-off running
    returns return value values current existing single multiple different exactly directly
""")
)


def technologies(text: str) -> frozenset[str]:
    """Those it names that others know as well."""
    return frozenset(_technologies(text[:_READ]))


def tags(text: str, topic: str) -> tuple[str, ...]:
    """Three to ten, the most telling first."""
    text = text[:_READ]
    found: dict[str, None] = {}
    counted = Counter(_technologies(text))
    for tag, _ in counted.most_common():
        found[tag] = None
    for word in _WORD.findall(text.lower()):
        if word in _SURROUNDINGS:
            found.setdefault(word)
    for tag in _names(text):
        found.setdefault(tag)
    chosen = list(found)[: TAGS_MOST - 1]
    if len(chosen) < TAGS_LEAST + 1:
        common = Counter(word for word in _CONTENT.findall(text.lower()) if word not in _DULL)
        chosen += [word.strip("-") for word, _ in common.most_common(6) if word.strip("-") not in chosen]
        chosen = chosen[: TAGS_LEAST + 1]
    made = [*chosen, topic.replace("_", "-")]
    return tuple(dict.fromkeys(made))[:TAGS_MOST]


def _technologies(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        if word in TECHNOLOGIES:
            yield _SPOKEN.get(word, word)
    for match in _LANGUAGE.finditer(text):
        yield (match[1] or "go").lower()
    for extension in _EXTENSION.findall(text):
        if extension in _FILE_TYPES:
            yield _FILE_TYPES[extension]


def _names(text: str) -> Iterator[str]:
    """Of commands and identifiers: `git rebase` is git, `sync.Once` is sync-once."""
    for code in _CODE.findall(text):
        command = _COMMAND.match(code)
        if command:
            yield command[1]
        elif _NAME.fullmatch(code):
            name = _HUMP.sub("-", code.removesuffix("()")).lower().replace(".", "-").replace("_", "-").strip("-")
            if 2 < len(name) <= _LONGEST and name not in _DULL:
                yield name
