"""IPv6 and MAC addresses, and IPv4 addresses after a user name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from heedful.text.redaction.spans import SensitiveSpan

_COLONS = re.compile(r":[0-9a-fA-F]{0,4}:[0-9a-fA-F]{0,4}")
_DASHES = re.compile(r"-[0-9a-fA-F]{2}-[0-9a-fA-F]{2}-[0-9a-fA-F]{2}-[0-9a-fA-F]{2}-")
_MAC = re.compile(r"(?<![\w:-])[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}(?![\w:-])")
_IPV6 = re.compile(r"(?<![\w:.])[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,8}(?![\w:])")
_AT_IPV4 = re.compile(r"@(\d{1,3}(?:\.\d{1,3}){3})(?![\w.])")  # of an account: `ssh root@…`
_NOBODYS = frozenset({"000000000000", "ffffffffffff"})


def network(text: str) -> Iterator[SensitiveSpan]:
    end = 0
    for trigger in _COLONS.finditer(text):
        if trigger.start() >= end and (found := _ipv6(text, trigger.start()) or _mac(text, trigger.start())):
            end = found.end
            yield found
    for account in _AT_IPV4.finditer(text) if "@" in text else ():
        if account.start() and text[account.start() - 1].isalnum() and _is_public(account[1]):
            yield SensitiveSpan(*account.span(1), "IP", account[1])
    for trigger in _DASHES.finditer(text):
        if found := _mac(text, trigger.start()):
            yield found


def _is_public(address: str) -> bool:
    try:
        return IPv4Address(address).is_global
    except AddressValueError:
        return False


def _mac(text: str, at: int) -> SensitiveSpan | None:
    found = _MAC.match(text, at - 2) if at >= 2 else None
    if found is None:
        return None
    value = re.sub(r"[:-]", "", found.group()).lower()
    if value in _NOBODYS or len(set(value)) < 4:
        return None
    return SensitiveSpan(*found.span(), "MAC", value)


def _ipv6(text: str, at: int) -> SensitiveSpan | None:
    before = text[max(0, at - 4) : at]
    start = at - (len(before) - len(before.rstrip("0123456789abcdefABCDEF")))
    found = _IPV6.match(text, start)
    if found is None:
        return None
    try:
        address = IPv6Address(found.group())
    except AddressValueError:
        return None
    groups = [group for group in found.group().split(":") if group]
    if address.is_loopback or address.is_link_local or address.is_multicast or (int(address) >> 121) == 0b1111110:
        return None
    # Paths in code also have two colons (`a::b`): a short form must be of the part of the internet that is in use.
    if len(groups) < 8 and (int(address) >> 125 != 1 or len(groups) < 3):
        return None
    return SensitiveSpan(*found.span(), "IP", address.compressed)
