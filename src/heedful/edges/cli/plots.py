"""Small plots for a terminal: a bar, an interval, and columns over time."""

from __future__ import annotations

from collections.abc import Sequence

_LEVELS = " ▁▂▃▄▅▆▇█"
_STEPS = len(_LEVELS) - 1
_PARTS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int) -> str:
    """A bar of this share, filled up with spaces; whatever is more than nothing can be seen."""
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    full, rest = divmod(eighths, 8)
    return f"{'█' * full}{_PARTS[rest] if rest else ''}".ljust(width)


def meter(share: float, width: int) -> str:
    """A bar that also shows what is missing."""
    full = round(min(1.0, max(0.0, share)) * width)
    return "█" * full + "░" * (width - full)


def interval(low: float, value: float, high: float, width: int, *, reach: float) -> str:
    """An interval and the value in it, on an axis from -reach to reach with 0 in the middle."""

    def place(number: float) -> int:
        return round((min(reach, max(-reach, number)) + reach) / (2 * reach) * (width - 1))

    signs = ["━" if place(low) <= at <= place(high) else " " for at in range(width)]
    signs[place(0)] = "┿" if signs[place(0)] == "━" else "│"
    signs[place(value)] = "●"
    return "".join(signs)


def columns(values: Sequence[float | None], height: int, *, low: float, high: float) -> list[str]:
    """A plot of one column per value, from the top row to the bottom one. None leaves a gap, `low` is still seen."""
    span = high - low or 1.0
    filled = [
        None if value is None else max(1, round((min(high, max(low, value)) - low) / span * height * _STEPS))
        for value in values
    ]
    return [
        "".join(" " if count is None else _LEVELS[min(_STEPS, max(0, count - row * _STEPS))] for count in filled)
        for row in reversed(range(height))
    ]
