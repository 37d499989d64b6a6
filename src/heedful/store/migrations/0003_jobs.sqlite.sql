-- The queue. Workers serve every organisation, so the two indexes they search by do not begin with one.

create table job (
    org_id       text not null,
    id           text not null,
    name         text not null,
    payload      text not null,
    key          text,             -- same name and key: one job, while it is unfinished
    state        text not null check (state in ('queued', 'in_progress', 'completed', 'failed', 'dead_letter')),
    priority     integer not null,
    attempts     integer not null,
    max_attempts integer not null,
    again        integer not null, -- 1: was asked for once more while it ran
    run_at       integer not null,
    created_at   integer not null,
    updated_at   integer not null,
    worker       text,
    lease_until  integer,
    result       text,
    error        text,
    primary key (org_id, id)
) without rowid;

create unique index job_key on job (org_id, name, key)
    where key is not null and state in ('queued', 'failed', 'in_progress');
create index job_state on job (org_id, state, updated_at, id);
create index job_ready on job (priority desc, run_at, id) where state in ('queued', 'failed');
create index job_leased on job (lease_until) where state = 'in_progress';
create index job_finished on job (updated_at) where state = 'completed';
