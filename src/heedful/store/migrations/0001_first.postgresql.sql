-- Organisations, and what is known of each. A recording locks the organisation's row.
create table org (
    org_id             text primary key,
    floor              bigint not null,             -- positions up to this one are taken, even if their events were erased
    created_at         bigint not null,             -- microseconds since 1970-01-01 UTC, as everywhere
    tier               text,                        -- null: what this installation gives to all
    privacy            text,                        -- JSON, once it was changed
    secret_fingerprint text,                        -- of the secret its digests were made with
    has_webhooks       bigint not null default 0,
    erasures           bigint not null default 0,   -- how often events were erased from the log
    learnings          bigint not null default 0,   -- how many there are
    vectors            bigint not null default 0,   -- the version of the newest vector
    generation         integer not null default 0,  -- of postings
    next_generation    integer                      -- the one that is being written, if any
);

-- The log: what people did and said, in the order it was recorded.
create table feedback_event (
    org_id      text not null,
    seq         bigint not null,
    id          text not null,
    kind        text not null,
    at          bigint not null,
    actor       text,
    entity_kind text,
    entity_id   text,
    layout      text,
    before      text not null,     -- canonical JSON
    after       text not null,
    meta        text not null,
    checksum    bigint not null,   -- CRC-32 of all other columns: tells what was damaged on the disk
    primary key (org_id, seq)
);

create unique index feedback_event_id on feedback_event (org_id, id);
create index feedback_event_kind on feedback_event (org_id, kind, seq);
create index feedback_event_actor on feedback_event (org_id, actor, seq) where actor is not null;
create index feedback_event_entity on feedback_event (org_id, entity_id, entity_kind, seq) where entity_id is not null;
create index feedback_event_layout on feedback_event (org_id, layout, seq) where layout is not null;

create function refuse_update() returns trigger language plpgsql as $$
begin
    raise exception 'feedback_event is append-only';
end $$;

create trigger feedback_event_is_append_only before update on feedback_event
    for each row execute function refuse_update();

-- Between which positions the events of an hour are. Time nearly follows seq, so this small table does for "since" and
-- "until" what an index on (org_id, at), and a time in every other index, would do at twice the cost of a write.
create table log_hour (
    org_id    text not null,
    hour      integer not null,    -- hours since 1970-01-01
    first_seq bigint not null,
    last_seq  bigint not null,
    primary key (org_id, hour)
);

-- Projections: how far each has come. Rows of counters and tallies belong to a generation; a projection that is derived
-- again is written as a new generation, which becomes its own when it is complete.
create table projection (
    org_id     text not null,
    name       text not null,
    version    bigint not null,
    position   bigint not null,    -- the last event folded in, while it is not live
    live       bigint not null,    -- 1: every recording folds its events in
    generation text not null,
    primary key (org_id, name)
);

create table counter (
    org_id     text not null,
    generation text not null,
    name       text not null,
    day        integer not null,   -- days since 1970-01-01; the smallest 32-bit number: for all time
    key        text not null,
    value      bigint not null,
    primary key (org_id, generation, name, day, key)
);

-- Several numbers a row, in parts that are read together. A kind of tally (`TallyKind`) uses some of the columns.
create table tally (
    org_id     text not null,
    generation text not null,
    name       text not null,
    part       text collate "C" not null,
    day        integer not null,   -- as in counter
    key        text collate "C" not null,
    accepted          bigint not null default 0,
    modified          bigint not null default 0,
    rejected          bigint not null default 0,
    skipped           bigint not null default 0,
    imported_accepted bigint not null default 0,
    imported_modified bigint not null default 0,
    imported_rejected bigint not null default 0,
    version           bigint not null default 0,
    stated            bigint not null default 0,
    correct           bigint not null default 0,
    decisions         bigint not null default 0,
    stated_squared    bigint not null default 0,
    stated_accepted   bigint not null default 0,
    times             bigint not null default 0,
    imported          bigint not null default 0,
    units             bigint not null default 0,
    total             bigint not null default 0,
    squares           bigint not null default 0,
    followed          bigint not null default 0,
    broken            bigint not null default 0,
    said              bigint not null default 0,
    primary key (org_id, generation, name, part, day, key)
);

-- The patterns of a rule that were seen three times or more, those that the team itself judged most first.
create index tally_repeated on tally (org_id, generation, part, (accepted + modified + rejected) desc, key)
    where name = 'pattern'
    and accepted + modified + rejected + imported_accepted + imported_modified + imported_rejected >= 3;

-- Learnings: their state, and the events that hold their words.
create table learning (
    org_id        text not null,
    no            bigint not null,   -- the position of the event that began it
    id            text not null,     -- that event's id
    kind          text not null,
    scope         text,
    category      text,
    status        text not null,
    superseded_by text,
    confidence    double precision not null,
    version       integer not null,
    confirmed     integer not null,  -- how often somebody said it again
    applied       integer not null,
    applied_at    bigint,
    renewed_at    bigint not null,   -- last said, confirmed or used
    said          bigint not null,   -- the position of the event that holds its words
    changed       bigint not null,   -- the position of the last event about it
    rated_up      integer not null default 0,
    rated_down    integer not null default 0,
    contributor   text,
    words         text not null default '',  -- a digest of what it says now
    approval      text,                      -- a digest of what was approved
    owner         text,                      -- the pseudonym of the only person it is for
    contradicted  text,                      -- the learnings that contradicted it, as a JSON list
    primary key (org_id, no)
);

create unique index learning_id on learning (org_id, id);
create index learning_superseded on learning (org_id, superseded_by) where superseded_by is not null;
create index learning_kind on learning (org_id, kind, no);
create index learning_unscoped on learning (org_id, kind, no) where scope is null;
create index learning_scope on learning (org_id, scope, kind, no) where scope is not null;
create index learning_owner on learning (org_id, owner, no) where owner is not null;
create index learning_approved on learning (org_id, kind, no) where approval is not null;

-- What learnings in use say, as digests: no two may say the same, and those that nearly do are found by a band of
-- their SimHash, which two that differ in few bits have in common.
create table learning_signature (
    org_id    text not null,
    no        bigint not null,
    canonical text not null,
    simhash   bigint not null,
    band_a    integer not null,
    band_b    integer not null,
    band_c    integer not null,
    primary key (org_id, no)
);

create unique index learning_signature_canonical on learning_signature (org_id, canonical);
create index learning_signature_a on learning_signature (org_id, band_a);
create index learning_signature_b on learning_signature (org_id, band_b);
create index learning_signature_c on learning_signature (org_id, band_c);

-- Embeddings of their words. Not derived from the log alone, but from a model: so they have a table of their own.
create table learning_vector (
    org_id   text not null,
    no       bigint not null,
    version  bigint not null,        -- higher than that of every vector before it
    said     bigint not null,        -- the position of the event with the words it was made of
    embedder text not null,
    vector   bytea not null,          -- one byte a dimension
    checksum bigint not null,        -- CRC-32 of all other columns
    primary key (org_id, no)
);

create unique index learning_vector_version on learning_vector (org_id, version);

-- The full-text index: for each block of 4,096 numbers, which of them have the term, and with which weight.
-- A table of our own, because row-level security keeps the database from using an index on tsvector or arrays:
-- their operators are not leakproof. Equality of texts is.
create table posting (
    org_id     text not null,
    generation integer not null,  -- an index that is derived again is written as the next generation, which then takes over
    term       text collate "C" not null,
    block      bigint not null,
    entries    bytea not null,
    primary key (org_id, generation, term, block)
);

-- The queue. Workers serve every organisation, so the indexes they search by do not begin with one.
create table job (
    org_id       text not null,
    id           text not null,
    name         text not null,
    payload      text not null,
    key          text,             -- same name and key: one job, while it is unfinished
    about        text,             -- jobs about the same thing are done one at a time
    state        text not null check (state in ('queued', 'in_progress', 'completed', 'failed', 'dead_letter')),
    priority     bigint not null,
    attempts     bigint not null,
    max_attempts bigint not null,
    again        bigint not null, -- 1: was asked for once more while it ran
    run_at       bigint not null,
    created_at   bigint not null,
    updated_at   bigint not null,
    worker       text,
    lease_until  bigint,
    result       text,
    error        text,
    primary key (org_id, id)
);

create unique index job_key on job (org_id, name, key)
    where key is not null and state in ('queued', 'failed', 'in_progress');
create index job_state on job (org_id, state, updated_at, id);
create index job_ready on job (priority desc, run_at, id) where state in ('queued', 'failed');
create index job_leased on job (lease_until) where state = 'in_progress';
create index job_finished on job (updated_at) where state = 'completed';
create index job_busy on job (org_id, name, about) where state = 'in_progress';
create index job_about on job (org_id, name, about, updated_at, id) where about is not null;

-- Named followers of the log, and how far each has read.
create table subscription (
    org_id     text not null,
    name       text not null,
    position   bigint not null,
    failures   bigint not null,    -- in a row, at the event after position
    error      text,
    updated_at bigint not null,
    primary key (org_id, name)
);

-- Addresses to which an organisation has its events posted.
create table webhook (
    org_id      text not null,
    id          text not null,
    url         text not null,
    kinds       text not null,     -- a JSON list; empty: every kind
    secret      text not null,     -- it signs, so it cannot be kept as a hash
    position    bigint not null,   -- deliveries of events up to here have been queued
    created_at  bigint not null,
    disabled_at bigint,
    disabled_because text,
    primary key (org_id, id)
);

create table api_key (
    org_id       text not null,
    id           text not null,
    name         text not null,
    role         text not null,
    hash         text not null,    -- SHA-256 of the key, which is 256 random bits: no salt, no slow hash needed
    rate_limit   bigint,           -- requests a minute, or null for what the server allows all
    for_many     integer not null default 0,  -- 1: the people it names are counted, and not its holder
    created_at   bigint not null,
    expires_at   bigint,
    revoked_at   bigint,
    over_at      bigint,           -- when it was first seen to have expired: it stays so, whatever the clock says later
    last_used_at bigint,
    primary key (org_id, id)
);

create unique index api_key_hash on api_key (hash);

-- Links that sign a browser in once.
create table sign_in (
    org_id     text not null,
    hash       text not null,
    key_id     text not null,
    expires_at bigint not null,
    primary key (org_id, hash)
);

create unique index sign_in_hash on sign_in (hash);

-- Sessions that were signed out before they expired.
create table ended_session (
    org_id     text not null,
    hash       text not null,
    expires_at bigint not null,
    primary key (org_id, hash)
);

-- What the servers of one database share, such as the secret that signs sessions.
create table server_secret (
    name  text primary key,
    value text not null
);

-- Calls to language models and their tokens, by day: a budget that holds for all processes together.
create table spending (
    org_id text not null,
    day    integer not null,   -- days since 1970-01-01, of UTC
    calls  bigint not null,
    tokens bigint not null,    -- in and out; of calls under way, the most they can take
    primary key (org_id, day)
);

-- How far a file has been read. Its name is a digest: a path tells whose it is.
create table reading (
    org_id   text not null,
    source   text not null,
    position bigint not null,
    digest   text not null,    -- of the part that was read: another file in its place is read from the beginning
    read_at  bigint not null,
    primary key (org_id, source)
);

-- Files that belong to an event: a document and its words, a draft. They are erased with their event.
create table file (
    org_id   text not null,
    event    text not null,
    name     text not null,
    content  bytea not null,
    checksum bigint not null,  -- CRC-32 of all other columns
    primary key (org_id, event, name)
);

-- The secret of the installation, unless it is given from outside.
insert into server_secret (name, value) values ('installation', gen_random_uuid()::text || gen_random_uuid()::text);

-- Each transaction names its organisation (heedful.org); workers and maintenance name none and say so
-- (heedful.system). FORCE: the owner of the tables is bound as well.
do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'migration' loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
    end loop;
    foreach name in array array[
        'feedback_event', 'log_hour', 'projection', 'counter', 'tally', 'learning', 'learning_signature',
        'learning_vector', 'posting', 'subscription', 'webhook', 'spending', 'reading', 'file'
    ] loop
        execute format('create policy own on %I using (org_id = current_setting(''heedful.org'', true))', name);
    end loop;
    foreach name in array array['org', 'job', 'api_key', 'sign_in', 'ended_session'] loop
        execute format('create policy own_or_system on %I using (org_id = current_setting(''heedful.org'', true)'
            ' or current_setting(''heedful.system'', true) = ''on'')', name);
    end loop;
end $$;
create policy system on server_secret using (current_setting('heedful.system', true) = 'on');
