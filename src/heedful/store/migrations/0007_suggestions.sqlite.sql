-- What is learned from feedback on suggestions, and forgetting.

-- Counters of several numbers a row, in parts that are read together: all patterns of a rule, all rules of a day.
create table tally (
    org_id     text not null,
    projection text not null,      -- where the projection keeps its rows: see projection.place
    name       text not null,
    part       text not null,
    day        integer not null,   -- days since 1970-01-01; the smallest 32-bit number: for all time
    key        text not null,
    v0         integer not null,
    v1         integer not null,
    v2         integer not null,
    v3         integer not null,
    v4         integer not null,
    v5         integer not null,
    v6         integer not null,
    v7         integer not null,
    primary key (org_id, projection, name, part, day, key)
) without rowid;

-- The patterns of a rule that were seen often enough to say something, those that the team itself judged most first.
create index tally_repeated on tally (org_id, projection, part, (v0 + v1 + v2) desc, key)
    where name = 'pattern' and v0 + v1 + v2 + v4 + v5 + v6 >= 3;

-- A projection that is derived anew is written beside the old one, and takes its place when it is complete.
alter table projection add column place text;

alter table org add column erasures integer not null default 0;  -- how often something was erased from the log
alter table org add column privacy text;                         -- JSON, once it was changed
alter table org add column secret_mark text;                     -- tells the secret its digests were made with
