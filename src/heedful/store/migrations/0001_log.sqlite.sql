-- The log: what people did and said, in the order it was recorded.

-- Whoever records events holds the organisation's row meanwhile.
create table org (
    org_id     text primary key,
    floor      integer not null,   -- places up to this one are taken, even if their events were erased
    created_at integer not null
) without rowid;

create table feedback_event (
    org_id      text not null,
    seq         integer not null,
    id          text not null,
    kind        text not null,
    at          integer not null,  -- microseconds since 1970-01-01 UTC, as everywhere
    actor       text,
    entity_kind text,
    entity_id   text,
    layout      text,
    before      text not null,     -- canonical JSON
    after       text not null,
    meta        text not null,
    primary key (org_id, seq)
) without rowid;

create unique index feedback_event_id on feedback_event (org_id, id);
create index feedback_event_kind on feedback_event (org_id, kind, seq);
create index feedback_event_actor on feedback_event (org_id, actor, seq) where actor is not null;
create index feedback_event_entity on feedback_event (org_id, entity_id, entity_kind, seq) where entity_id is not null;
create index feedback_event_layout on feedback_event (org_id, layout, seq) where layout is not null;

-- In which stretch of the log the events of an hour are. Time nearly follows seq, so this small table does for
-- "since" and "until" what an index on (org_id, at), and a time in every other index, would do at twice the cost of a write.
create table log_hour (
    org_id    text not null,
    hour      integer not null,    -- hours since 1970-01-01
    first_seq integer not null,
    last_seq  integer not null,
    primary key (org_id, hour)
) without rowid;

create trigger feedback_event_is_append_only before update on feedback_event
begin
    select raise(abort, 'feedback_event is append-only');
end;

-- SQLite's planner, knowing nothing, takes one organisation's log for short and reads all of it. These are the
-- proportions of a large one: rows in all, then how many share the first column, the first two, and so on.
analyze;
insert into sqlite_stat1 (tbl, idx, stat) values
    ('feedback_event', 'feedback_event', '10000000 1000000 1'),
    ('feedback_event', 'feedback_event_id', '10000000 1000000 1'),
    ('feedback_event', 'feedback_event_kind', '10000000 1000000 50000 1'),
    ('feedback_event', 'feedback_event_actor', '10000000 1000000 10000 1'),
    ('feedback_event', 'feedback_event_entity', '10000000 1000000 10 10 1'),
    ('feedback_event', 'feedback_event_layout', '10000000 1000000 1000 1');
