-- What is derived from the log and can be made again: counters, and how far each projection has come.

create table counter (
    org_id     text not null,
    projection text not null,
    name       text not null,
    day        integer not null,   -- days since 1970-01-01; the smallest 32-bit number: for all time
    key        text not null,
    value      integer not null,
    primary key (org_id, projection, name, day, key)
) without rowid;

create table projection (
    org_id   text not null,
    name     text not null,
    version  integer not null,
    position integer not null,     -- the last event folded in, while it is not live
    live     integer not null,     -- 1: every recording folds its events in
    primary key (org_id, name)
) without rowid;
