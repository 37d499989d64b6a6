"""The words of a page in rows, as they stand beside each other on the paper."""

from __future__ import annotations

from heedful.records.document import PageText, Word


def rows(page: PageText) -> list[list[Word]]:
    """From top to bottom, each from left to right. Words written upwards or downwards are rows of their own."""
    found: list[list[Word]] = []
    middle = height = 0.0
    ratio = 2 * page.width / page.height
    row: list[Word] = []
    for word in sorted(page.words, key=_middle):
        _, top, _, bottom, text = word
        tall, centre = bottom - top, (top + bottom) / 2
        if len(text) > 2 and tall > ratio * (word.x1 - word.x0):
            found.append([word])
        elif row and centre - middle <= min(height, tall) / 2:
            row.append(word)
            middle += (centre - middle) / len(row)  # the mean, which follows a page that was scanned askew
            height = min(height, tall)
        else:
            row = [word]
            found.append(row)
            middle, height = centre, tall
    for row in found:
        row.sort()
    return found


def _middle(word: Word) -> float:
    return word[1] + word[3]
