-- What was learned, in words: its numbers, where its words are, and how it is found.

create table learning (
    org_id        text not null,
    no            bigint not null,   -- the place of the event that began it
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
    said          bigint not null,   -- the place of the event that holds its words
    changed       bigint not null,   -- the place of the last event about it
    primary key (org_id, no)
);

create unique index learning_id on learning (org_id, id);
create index learning_superseded on learning (org_id, superseded_by) where superseded_by is not null;

-- Where a word occurs: for each block of 4,096 places, which of them have it, and how much it weighs there.
-- A table of our own, because row-level security keeps the database from using an index on tsvector or arrays:
-- their operators are not leakproof. Equality of texts is.
create table posting (
    org_id  text not null,
    edition integer not null,  -- when all is derived anew, it is written as the next edition, which then takes over
    term    text collate "C" not null,
    block   bigint not null,
    entries bytea not null,
    primary key (org_id, edition, term, block)
);

-- The meaning of its words. Not derived from the log alone, but from a model: so it stands apart.
create table learning_vector (
    org_id   text not null,
    no       bigint not null,
    mark     bigint not null,        -- the organisation's count of vectors written: what is new has a higher one
    said     bigint not null,        -- the words it was made of
    embedder text not null,
    vector   bytea not null,         -- one byte a dimension
    primary key (org_id, no)
);

create unique index learning_vector_mark on learning_vector (org_id, mark);

alter table org add column learnings bigint not null default 0;  -- how many there are
alter table org add column vectors bigint not null default 0;    -- how many vectors were ever written
alter table org add column edition integer not null default 0;    -- of postings
alter table org add column next_edition integer;                  -- the one that is being written, if any

alter table learning enable row level security;
alter table learning force row level security;
create policy own on learning using (org_id = current_setting('heedful.org', true));

alter table posting enable row level security;
alter table posting force row level security;
create policy own on posting using (org_id = current_setting('heedful.org', true));

alter table learning_vector enable row level security;
alter table learning_vector force row level security;
create policy own on learning_vector using (org_id = current_setting('heedful.org', true));
