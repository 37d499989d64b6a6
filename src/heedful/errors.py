"""Every error heedful raises, in one tree. `code`, made of the class name, is stable: programs may branch on it.

HeedfulError
├── InvalidInput             invalid_input        an argument or item is invalid
│   ├── InvalidKind          invalid_kind
│   ├── InvalidId            invalid_id
│   ├── InvalidTime          invalid_time
│   ├── InvalidPayload       invalid_payload
│   ├── PayloadTooLarge      payload_too_large
│   ├── InvalidLearnings     invalid_learnings    an export is damaged, changed or not trusted
│   └── UnreadableDocument   unreadable_document  a document cannot be read
│       ├── NotPdf           not_pdf              the file is not a PDF file
│       ├── DamagedDocument  damaged_document
│       ├── EncryptedDocument encrypted_document  it needs a password
│       ├── ScannedDocument  scanned_document     it has no text
│       ├── DocumentTooLarge document_too_large   it has too many bytes, pages or words
│       └── DocumentTooSlow  document_too_slow    time or memory ran out
├── Conflict                 conflict             the id is taken by different content
├── NotFound                 not_found
├── Unauthenticated          unauthenticated      missing, invalid, revoked or expired key
├── Forbidden                forbidden            the key's role does not allow it
├── LicenceRequired          licence_required     the organisation's tier does not include it
├── TooManyRequests          too_many_requests    retry after `retry_after` seconds
├── BadRequest               bad_request          the request cannot be parsed
│   ├── RequestTooLarge      request_too_large
│   ├── RequestTimeout       request_timeout      it did not arrive in time
│   ├── NoSuchRoute          no_such_route
│   ├── MethodNotAllowed     method_not_allowed
│   └── UnsupportedMedia     unsupported_media
├── Unreachable              unreachable          another server did not answer
├── Internal                 internal             a bug in heedful
├── LeaseLost                lease_lost           another worker has taken the job over
├── Misconfigured            misconfigured        a setting, an address or an extension is wrong
│   └── MissingExtra         missing_extra        an optional dependency is not installed
├── Closed                   closed               the loop was closed
├── NotOffered               not_offered          it needs the store, which a client does not have
├── ProviderError            provider_error       a language model or an embedder failed
│   ├── ProviderUnreachable  provider_unreachable
│   │   └── ProviderTimeout  provider_timeout     it did not answer in time
│   ├── ProviderRefused      provider_refused     it rejected the request, or the model declined
│   │   ├── KeyRefused       key_refused          the key is invalid or lacks permission
│   │   ├── NoCredit         no_credit            the account has none left
│   │   └── UnknownModel     unknown_model        the server has no model of that name
│   ├── BadAnswer            bad_answer           invalid, truncated or not JSON
│   └── BudgetSpent          budget_spent         the organisation's daily calls or tokens are used up
└── StoreError               store_error          the database failed
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

import re


class HeedfulError(Exception):
    """Has a `message` that says what is wrong and a `hint` that says what to do."""

    code = "error"

    item: int | None = None
    """The zero-based index of the item in a batch that this is about."""

    def __init_subclass__(cls) -> None:
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        return (_remake, (type(self), self.message, self.hint))


def _remake(cls: type[HeedfulError], message: str, hint: str) -> HeedfulError:
    """Pickle cannot pass keyword-only arguments by itself."""
    return cls(message, hint=hint)


class InvalidInput(HeedfulError): ...


class InvalidKind(InvalidInput): ...


class InvalidId(InvalidInput): ...


class InvalidTime(InvalidInput): ...


class InvalidPayload(InvalidInput): ...


class PayloadTooLarge(InvalidInput): ...


class InvalidLearnings(InvalidInput): ...


class UnreadableDocument(InvalidInput): ...


class NotPdf(UnreadableDocument): ...


class DamagedDocument(UnreadableDocument): ...


class EncryptedDocument(UnreadableDocument): ...


class ScannedDocument(UnreadableDocument): ...


class DocumentTooLarge(UnreadableDocument): ...


class DocumentTooSlow(UnreadableDocument): ...


class Conflict(HeedfulError): ...


class NotFound(HeedfulError): ...


class Unauthenticated(HeedfulError): ...


class Forbidden(HeedfulError): ...


class LicenceRequired(HeedfulError): ...


class TooManyRequests(HeedfulError):
    retry_after: float = 1.0


class BadRequest(HeedfulError): ...


class RequestTooLarge(BadRequest): ...


class RequestTimeout(BadRequest): ...


class NoSuchRoute(BadRequest): ...


class MethodNotAllowed(BadRequest): ...


class UnsupportedMedia(BadRequest): ...


class Unreachable(HeedfulError): ...


class Internal(HeedfulError): ...


class LeaseLost(HeedfulError): ...


class Misconfigured(HeedfulError): ...


class MissingExtra(Misconfigured): ...


class Closed(HeedfulError): ...


class NotOffered(HeedfulError): ...


class ProviderError(HeedfulError):
    again: bool = False

    retry_after: float | None = None
    """The seconds to wait before a retry, if the server said so."""

    tokens: int | None = 0
    """The tokens used all the same; None if unknown."""


class ProviderUnreachable(ProviderError):
    again = True


class ProviderTimeout(ProviderUnreachable): ...


class ProviderRefused(ProviderError): ...


class KeyRefused(ProviderRefused): ...


class NoCredit(ProviderRefused): ...


class UnknownModel(ProviderRefused): ...


class BadAnswer(ProviderError): ...


class BudgetSpent(ProviderError): ...


class StoreError(HeedfulError): ...


class StoreUnreachable(StoreError): ...


class StoreDenied(StoreError): ...


class StoreBusy(StoreError): ...


class StoreReadOnly(StoreError): ...


class StoreFull(StoreError): ...


class StoreDamaged(StoreError): ...


class NotHeedful(StoreError): ...


class SchemaTooNew(StoreError): ...


def by_code() -> dict[str, type[HeedfulError]]:
    """Every error class by its code, for errors from another process."""

    def below(kind: type[HeedfulError]) -> dict[str, type[HeedfulError]]:
        found = {kind.code: kind}
        for child in kind.__subclasses__():
            found |= below(child)
        return found

    return below(HeedfulError)
