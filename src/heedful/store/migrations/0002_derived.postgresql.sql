-- What is derived from the log and can be made again: counters, and how far each projection has come.

create table counter (
    org_id     text not null,
    projection text not null,
    name       text not null,
    day        integer not null,   -- days since 1970-01-01; the smallest 32-bit number: for all time
    key        text not null,
    value      bigint not null,
    primary key (org_id, projection, name, day, key)
);

create table projection (
    org_id   text not null,
    name     text not null,
    version  bigint not null,
    position bigint not null,     -- the last event folded in, while it is not live
    live     bigint not null,     -- 1: every recording folds its events in
    primary key (org_id, name)
);

alter table counter enable row level security;
alter table counter force row level security;
create policy own on counter using (org_id = current_setting('heedful.org', true));

alter table projection enable row level security;
alter table projection force row level security;
create policy own on projection using (org_id = current_setting('heedful.org', true));
