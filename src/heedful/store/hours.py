"""The hours of the log: between which positions the events of each hour are, so that a period is found quickly."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.records.clock import to_hour
from heedful.records.event import Event
from heedful.store.database import Transaction

_STRETCH = 255  # the end of an hour's stretch is rounded up to a multiple of this plus one

NOTE_HOUR = """
insert into log_hour (org_id, hour, first_seq, last_seq) values (:org, :hour, :first, :last)
on conflict (org_id, hour) do update set
    first_seq = case when excluded.first_seq < log_hour.first_seq then excluded.first_seq else log_hour.first_seq end,
    last_seq = case when excluded.last_seq > log_hour.last_seq then excluded.last_seq else log_hour.last_seq end
where excluded.first_seq < log_hour.first_seq or excluded.last_seq > log_hour.last_seq
"""
"""Widen the stretch of the log where an hour's events are; mostly it is wide enough, and nothing is written."""

SINCE = f"""
at >= :since and seq >= (
    select coalesce(min(first_seq), {2**63 - 1}) from log_hour where org_id = :org and hour >= :since_hour)
"""
UNTIL = """
at < :until and seq <= (
    select coalesce(max(last_seq), 0) from log_hour where org_id = :org and hour <= :until_hour)
"""
"""Conditions on events. Times are compared exactly; the hours only narrow the part of the log to look at."""


def note_hours(transaction: Transaction, org: str, events: Sequence[Event]) -> None:
    stretches: dict[int, list[int]] = {}
    for event in events:
        hour = to_hour(event.at)
        if hour in stretches:
            stretches[hour][1] = event.seq
        else:
            stretches[hour] = [event.seq, event.seq]
    rows = [
        {"org": org, "hour": hour, "first": first, "last": last | _STRETCH}
        for hour, (first, last) in sorted(stretches.items())
    ]
    transaction.execute_many(NOTE_HOUR, rows)
