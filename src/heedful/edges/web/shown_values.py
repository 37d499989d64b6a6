"""Fields and values of documents as people read them."""

from __future__ import annotations

from heedful.records.document import MONEY_FIELDS

_LABELS = {"sku": "Article", "qty": "Qty", "uom": "Unit", "vat_id": "VAT id", "iban": "IBAN"}
_CENTS = 2


def label(field: str) -> str:
    """`grand_total` in words."""
    return _LABELS.get(field) or field.replace("_", " ").strip().capitalize() or field


def shown(value: object, field: str) -> str:
    """Money with two decimals at least, so that the points of a column stand below one another."""
    if not isinstance(value, int | float):
        return "" if value is None else str(value)
    exact = f"{value:.6f}".rstrip("0").rstrip(".")
    return f"{value:.2f}" if field in MONEY_FIELDS and len(exact.partition(".")[2]) <= _CENTS else exact
