"""Sample orders and invoices as PDF files, with the values that are printed in them.

`python -m heedful.testing.documents FOLDER` writes them as files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from heedful.errors import InvalidInput
from heedful.testing.layouts import calloway, delorme, hartmann, lindvall, ostermoor, veldkamp, whitcombe
from heedful.testing.trade import SampleDocument

__all__ = ["SUPPLIERS", "SampleDocument", "sample_document", "sample_documents"]

_LAYOUTS: Mapping[str, Callable[[int], SampleDocument]] = {
    "hartmann": hartmann.draw,
    "whitcombe": whitcombe.draw,
    "delorme": delorme.draw,
    "lindvall": lindvall.draw,
    "calloway": calloway.draw,
    "veldkamp": veldkamp.draw,
    "ostermoor": ostermoor.draw,
}
SUPPLIERS = tuple(_LAYOUTS)
"""The companies that send the documents, each with a layout of its own."""


def sample_document(supplier: str, number: int, *, shifted: bool = False) -> SampleDocument:
    """The same supplier and number give the same document.

    `shifted` is hartmann's layout after a change: a higher logo, one more line in the header, moved columns. The values
    stay the same.
    """
    if supplier not in _LAYOUTS:
        raise InvalidInput(f"There is no supplier {supplier!r}.", hint=f"Choose one of {', '.join(SUPPLIERS)}.")
    if number < 0:
        raise InvalidInput(f"The number of a sample document cannot be {number}.", hint="Count from 0 or 1.")
    if not shifted:
        return _LAYOUTS[supplier](number)
    if supplier != "hartmann":
        raise InvalidInput(f"{supplier} has no shifted layout.", hint="Only hartmann has.")
    return hartmann.draw(number, shifted=True)


def sample_documents(per_supplier: int = 3) -> list[SampleDocument]:
    """The first documents of each supplier, numbered from 1."""
    return [sample_document(supplier, number) for supplier in SUPPLIERS for number in range(1, per_supplier + 1)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m heedful.testing.documents", description="Writes sample orders and invoices as PDF files."
    )
    parser.add_argument("folder", type=Path, help="where to write them; it is made if it does not exist")
    parser.add_argument("--per-supplier", type=int, default=3, metavar="N", help="how many of each (default: 3)")
    options = parser.parse_args(arguments)
    documents = sample_documents(options.per_supplier)
    documents += [sample_document("hartmann", number, shifted=True) for number in range(1, options.per_supplier + 1)]
    options.folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        (options.folder / document.name).write_bytes(document.content)
    sys.stdout.write(f"Wrote {len(documents)} documents from {len(SUPPLIERS)} companies to {options.folder}.\n")


if __name__ == "__main__":
    main()
