"""Every error heedful raises, in one tree. `code` is stable: programs may branch on it.

HeedfulError
├── InvalidInput             invalid_input        what was handed in cannot be stored as it is
│   ├── InvalidKind          invalid_kind
│   ├── InvalidId            invalid_id
│   ├── InvalidTime          invalid_time
│   ├── InvalidPayload       invalid_payload
│   └── PayloadTooLarge      payload_too_large
├── Conflict                 conflict             the id is taken by different content
├── NotFound                 not_found
├── LeaseLost                lease_lost           another worker has taken the job over
├── Misconfigured            misconfigured        a setting, an address or an extension is wrong
│   └── MissingExtra         missing_extra        an optional dependency is not installed
├── Closed                   closed               the loop was closed
└── StoreError               store_error          the database did not do what was asked
    ├── StoreUnreachable     store_unreachable
    ├── StoreDenied          store_denied
    ├── StoreBusy            store_busy
    ├── StoreReadOnly        store_read_only
    ├── StoreFull            store_full
    ├── StoreDamaged         store_damaged
    ├── NotHeedful           not_heedful          the file is another program's database
    └── SchemaTooNew         schema_too_new
"""

from __future__ import annotations


class HeedfulError(Exception):
    """Says what was wrong (`message`) and what to do about it (`hint`)."""

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        return (_remake, (type(self), self.message, self.hint))


def _remake(cls: type[HeedfulError], message: str, hint: str) -> HeedfulError:
    """Errors cross process borders: the keyword-only hint needs a hand to be unpickled."""
    return cls(message, hint=hint)


class InvalidInput(HeedfulError):
    code = "invalid_input"


class InvalidKind(InvalidInput):
    code = "invalid_kind"


class InvalidId(InvalidInput):
    code = "invalid_id"


class InvalidTime(InvalidInput):
    code = "invalid_time"


class InvalidPayload(InvalidInput):
    code = "invalid_payload"


class PayloadTooLarge(InvalidInput):
    code = "payload_too_large"


class Conflict(HeedfulError):
    code = "conflict"


class NotFound(HeedfulError):
    code = "not_found"


class LeaseLost(HeedfulError):
    code = "lease_lost"


class Misconfigured(HeedfulError):
    code = "misconfigured"


class MissingExtra(Misconfigured):
    code = "missing_extra"


class Closed(HeedfulError):
    code = "closed"


class StoreError(HeedfulError):
    code = "store_error"


class StoreUnreachable(StoreError):
    code = "store_unreachable"


class StoreDenied(StoreError):
    code = "store_denied"


class StoreBusy(StoreError):
    code = "store_busy"


class StoreReadOnly(StoreError):
    code = "store_read_only"


class StoreFull(StoreError):
    code = "store_full"


class StoreDamaged(StoreError):
    code = "store_damaged"


class NotHeedful(StoreError):
    code = "not_heedful"


class SchemaTooNew(StoreError):
    code = "schema_too_new"
