-- What is learned from feedback on suggestions, and forgetting.

-- Counters of several numbers a row, in parts that are read together: all patterns of a rule, all rules of a day.
create table tally (
    org_id     text not null,
    projection text not null,      -- where the projection keeps its rows: see projection.place
    name       text not null,
    part       text collate "C" not null,  -- one order everywhere
    day        integer not null,   -- days since 1970-01-01; the smallest 32-bit number: for all time
    key        text collate "C" not null,
    v0         bigint not null,
    v1         bigint not null,
    v2         bigint not null,
    v3         bigint not null,
    v4         bigint not null,
    v5         bigint not null,
    v6         bigint not null,
    v7         bigint not null,
    primary key (org_id, projection, name, part, day, key)
);

-- The patterns of a rule that were seen often enough to say something, those that the team itself judged most first.
create index tally_repeated on tally (org_id, projection, part, (v0 + v1 + v2) desc, key)
    where name = 'pattern' and v0 + v1 + v2 + v4 + v5 + v6 >= 3;

-- A projection that is derived anew is written beside the old one, and takes its place when it is complete.
alter table projection add column place text;

alter table org add column erasures bigint not null default 0;  -- how often something was erased from the log
alter table org add column privacy text;                         -- JSON, once it was changed
alter table org add column secret_mark text;                     -- tells the secret its digests were made with

alter table tally enable row level security;
alter table tally force row level security;
create policy own on tally using (org_id = current_setting('heedful.org', true));

-- The secret of the installation, unless it is given from outside.
insert into server_secret (name, value)
values ('learning', gen_random_uuid()::text || gen_random_uuid()::text) on conflict do nothing;
