"""Fields and values of documents as people read them."""

from __future__ import annotations

from heedful.records.document import Value

_LABELS = {"sku": "Article", "qty": "Qty", "uom": "Unit", "vat_id": "VAT id", "iban": "IBAN"}
_MONEY = ("price", "amount", "net_total", "tax_total", "grand_total")
_CENTS = 2


def label(field: str) -> str:
    """`grand_total` in words."""
    return _LABELS.get(field) or field.replace("_", " ").strip().capitalize() or field


def shown(value: Value | None, field: str) -> str:
    """Money with two decimals at least, so that the points of a column stand below one another."""
    if value is None or isinstance(value, str):
        return value or ""
    exact = f"{value:.6f}".rstrip("0").rstrip(".")
    return f"{value:.2f}" if field in _MONEY and len(exact.partition(".")[2]) <= _CENTS else exact
