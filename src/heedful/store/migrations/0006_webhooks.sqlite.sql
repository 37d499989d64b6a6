-- Addresses to which an organisation has its events posted.

create table webhook (
    org_id      text not null,
    id          text not null,
    url         text not null,
    kinds       text not null,     -- a JSON list; empty: every kind
    secret      text not null,     -- it signs, so it cannot be kept as a hash
    position    integer not null,  -- deliveries of events up to here have been queued
    created_at  integer not null,
    disabled_at integer,
    disabled_because text,
    primary key (org_id, id)
) without rowid;

-- What a job is about: such jobs can be found, and those about the same thing are done one at a time.
alter table job add column about text;
create index job_busy on job (org_id, name, about) where state = 'in_progress';
create index job_about on job (org_id, name, about, updated_at, id) where about is not null;
