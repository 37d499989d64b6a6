"""Searches a text for all secrets and personal data."""

from __future__ import annotations

import re
from itertools import chain

from heedful.text.redaction.credentials import credentials
from heedful.text.redaction.mail import mail
from heedful.text.redaction.named import named
from heedful.text.redaction.network import network
from heedful.text.redaction.numbers import numbers
from heedful.text.redaction.people import homes, people
from heedful.text.redaction.private_keys import private_keys
from heedful.text.redaction.spans import SensitiveSpan, merge_overlaps
from heedful.text.redaction.streets import streets
from heedful.text.redaction.tokens import tokens

_DIGIT = re.compile("[0-9]")


def find_spans(text: str, *, personal: bool = True) -> list[SensitiveSpan]:
    """Spans in order, none overlapping. Without `personal`, only secrets."""
    # One letter in all of Unicode grows when it becomes small; places must be the same in both texts.
    lowered = text.replace("İ", "I").lower()
    secrets = chain(private_keys(text), tokens(text), credentials(text, lowered), named(text, lowered))
    if not personal:
        return merge_overlaps(list(secrets), text)
    mails = list(mail(text))
    digits = _DIGIT.search(text) is not None
    found = chain(
        secrets,
        mails,
        numbers(text, lowered) if digits else (),
        network(text),
        homes(text),
        people(text, lowered, mails),
        streets(text, lowered) if digits else (),
    )
    return merge_overlaps(list(found), text)
