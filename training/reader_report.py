"""How good a trained reader is on exchanges that it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from heedful.providers import pointers
from heedful.providers.exchange_encoding import encoded
from heedful.providers.wordpiece import WordPiece
from heedful.records.reading import Exchange, Pointing, Reading
from training.network import ACTS, Network, padded
from training.reader_examples import Example, PassageExample
from training.rows import Row, exchange


def readings(network: Network, words: WordPiece, rows: Sequence[Row]) -> Iterator[Reading]:
    network.eval()
    with torch.no_grad():
        for row in rows:
            yield _read(network, words, exchange(row))


def _read(network: Network, words: WordPiece, said: Exchange) -> Reading:
    made = encoded(words, said)
    act, always, manner, scores = network(*padded([Example(made, None, True, (), ())]))
    found = pointers.pointed(scores[0].numpy(), made)
    return Reading(
        act=ACTS[int(act[0].argmax())],
        correction=torch.softmax(act[0], -1)[0].item(),
        always=torch.sigmoid(always[0]).item(),
        manner=torch.sigmoid(manner[0]).item(),
        sentence=pointers.sentence(found, made, said.output),
        wrong=pointers.wrong(found, made, said.output),
        right=pointers.right(found, made, said.message),
        named=pointers.named(found, made, said.message),
        likeness=lambda *_: 0.0,
    )


def report_passages(network: Network, examples: Sequence[PassageExample]) -> None:
    network.eval()
    with torch.no_grad():
        scores = [(torch.sigmoid(network.passage(padded([one]))).item(), one.repeats) for one in examples]
    yes, no = ([score for score, repeats in scores if repeats is wanted] for wanted in (True, False))
    parts = []
    for share in (0.3, 0.1, 0.03, 0.01):
        cut = sorted(no, reverse=True)[int(share * len(no))]
        parts.append(f"{sum(score > cut for score in yes) / len(yes):.2f} at {share} (above {cut:.2f})")
    print(f"  mistakes made again: found, of others taken for it: {', '.join(parts)}", flush=True)


def report(network: Network, words: WordPiece, rows: Sequence[Row], passages: Sequence[PassageExample]) -> None:
    report_passages(network, passages)
    found = list(zip(readings(network, words, rows), rows, strict=True))
    positive = [(made, row) for made, row in found if row["act"] == "correction"]
    negative = [(made, row) for made, row in found if row["act"] != "correction"]
    parts = []
    for cut in (0.5, 0.7, 0.8):
        heard = sum(made.correction > cut for made, _ in positive) / len(positive)
        false = sum(made.correction > cut for made, _ in negative) / max(1, len(negative))
        parts.append(f"above {cut}: heard {heard:.3f}, false {false:.3f}")
    parts.append(f"always {sum((made.always > 0.5) == row['always'] for made, row in positive) / len(positive):.3f}")
    about = [(made, row) for made, row in positive if row["about"]]
    right = sum(made.sentence in row["about"] or row["about"] in made.sentence for made, row in about)
    parts.append(f"sentence {right / max(1, len(about)):.3f}")
    pairs = [(made, row) for made, row in positive if row["wrong"] and row["right_in_message"]]
    exact = sum(
        _words(made.wrong, row["output"]) == row["wrong"].lower()
        and _words(made.right, row["message"]) in (row["right_in_message"].lower(), row["right"].lower())
        for made, row in pairs
    )
    parts.append(f"pairs: {exact} of {len(pairs)} exact")
    print("  " + "; ".join(parts), flush=True)


def _words(pointing: Pointing, text: str) -> str:
    """Those whose start and end are most probable."""
    start, end = (max(chances, key=lambda at: chances[at], default=0) for chances in (pointing.starts, pointing.ends))
    return text[start:end].lower()
