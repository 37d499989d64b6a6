"""One request to a model's server: with a timeout, a size limit, and errors that say what to do.

Errors quote nothing of the response: it may repeat people's messages, or the key.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from email.utils import parsedate_to_datetime
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

import orjson

from heedful import errors
from heedful.providers.deadline import in_time
from heedful.providers.endpoint import Endpoint

E = TypeVar("E", bound=errors.ProviderError)
Request = Callable[[], AbstractContextManager[Any]]
"""Sends the request, with the SDK's `with_streaming_response`."""
Adapt = Callable[[str], bool]
"""Gets the server's complaint about a request, and returns whether to retry in a different way."""

_LARGEST = 16 * 1024 * 1024
_MOST_TOKENS = 10**9  # a larger response is an error
_NAME = re.compile(r"[a-z_]{1,60}")
_NO_CREDIT = {"insufficient_quota", "billing_error", "billing_hard_limit_reached"}
_SAYS_NO_CREDIT = ("credit balance", "insufficient_quota", "insufficient credit")


def exchange(sdk: ModuleType, endpoint: Endpoint, request: Request, adapt: Adapt = lambda _: False) -> Any:
    import httpx2

    bad = partial(failed, errors.BadAnswer, tokens=None)
    deadline = time.monotonic() + endpoint.seconds  # socket timeouts apply to each read, and a server may send slowly
    try:
        body = in_time(lambda: _body(request, deadline), endpoint.seconds)
    except sdk.APIStatusError as error:
        raise _refusal(error, endpoint, adapt) from None
    except (TimeoutError, httpx2.HTTPError, sdk.APIConnectionError) as error:
        raise _away(error, endpoint) from None
    except _TooLarge:
        raise bad(f"{endpoint.name} sent more than {_LARGEST >> 20} MB.", hint="Ask another model.") from None
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        check = f"Check the address in {endpoint.setting}_URL."
        raise bad(f"{endpoint.host} did not answer in JSON.", hint=check) from None


def failed(
    kind: type[E],
    message: str,
    *,
    hint: str,
    tokens: int | None = 0,
    again: bool | None = None,
    retry_after: float | None = None,
) -> E:
    error = kind(message, hint=hint)
    error.tokens = tokens
    error.again = kind.again if again is None else again
    error.retry_after = retry_after
    return error


def counted(usage: object, *names: str) -> int | None:
    """The total that a server reported; None if it is missing or implausible."""
    if not isinstance(usage, dict):
        return None
    numbers = [usage[name] for name in names if usage.get(name) is not None]
    sound = all(isinstance(number, int) and 0 <= number < _MOST_TOKENS for number in numbers)
    return sum(numbers) if numbers and sound else None


class _TooLarge(Exception):
    pass


def _body(request: Request, deadline: float) -> bytes:
    body = bytearray()
    with request() as response:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > _LARGEST:
                raise _TooLarge
            if time.monotonic() > deadline:
                raise TimeoutError
    return bytes(body)


def _away(error: Exception, endpoint: Endpoint) -> errors.ProviderUnreachable:
    import httpx2

    cause = error if isinstance(error, httpx2.HTTPError) else error.__cause__
    unsent = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    late = isinstance(error, TimeoutError) or isinstance(cause, httpx2.TimeoutException)
    if unsent:
        what = "could not be reached"
    elif late:
        what = f"did not answer within {endpoint.seconds:g} s"
    else:
        what = "broke off its answer"
    return failed(
        errors.ProviderTimeout if late and not unsent else errors.ProviderUnreachable,
        f"{endpoint.host} {what}.",
        hint=f"Check that the server of {endpoint.setting} runs and that its address is right, or try again later.",
        tokens=0 if unsent else None,  # it may have done the work all the same
    )


def _refusal(error: Any, endpoint: Endpoint, adapt: Adapt) -> errors.ProviderError:
    status, code = int(error.status_code), _code(error.body)
    said = f"{endpoint.host} answered {status}{f' ({code})' if code else ''} to {endpoint.name}"
    text = error.response.text[:10_000].lower()
    if code in _NO_CREDIT or status == 402 or (status == 400 and any(words in text for words in _SAYS_NO_CREDIT)):
        return failed(errors.NoCredit, f"{said}: no credit left.", hint="Add credit to the account.")
    if status in (408, 409, 429) or status >= 500:
        wait = retry_after(error.response.headers, endpoint)
        return failed(errors.ProviderUnreachable, f"{said}.", hint="Try again later.", retry_after=wait)
    if status in (400, 422) and adapt(text):
        return failed(errors.ProviderRefused, f"{said}.", hint="Ask again.", again=True, retry_after=0.0)
    kind, why, advice = _meaning(status, endpoint)
    return failed(kind, f"{said}: {why}.", hint=advice)


def _meaning(status: int, endpoint: Endpoint) -> tuple[type[errors.ProviderRefused], str, str]:
    setting = endpoint.setting
    match status:
        case 401:
            return errors.KeyRefused, "it refused the key", f"Check the key: {setting}_KEY, or the provider's own."
        case 403:
            return errors.KeyRefused, "the key may not do this", "Check what the key is allowed to do."
        case 404:
            return errors.UnknownModel, "it knows no such model", f"Check the model in {setting}, and {setting}_URL."
        case _ if status < 400:
            advice = f"That is not followed: set {setting}_URL to the final address."
            return errors.ProviderRefused, "it leads elsewhere", advice
        case _:
            return errors.ProviderRefused, "it does not take the request", f"Try another model in {setting}."


def _code(body: object) -> str:
    """The server's own error code, if it looks like one."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    found = (inner.get("code") or inner.get("type")) if isinstance(inner, dict) else None
    return found if isinstance(found, str) and _NAME.fullmatch(found) else ""


def retry_after(headers: Mapping[str, str], endpoint: Endpoint) -> float | None:
    """Seconds, in any of the formats that servers use."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        return max(0.0, (parsedate_to_datetime(headers["retry-after"]) - endpoint.clock()).total_seconds())
    except (KeyError, ValueError, TypeError, OverflowError):  # a date without a zone cannot be compared
        return None
