-- What was learned, in words: its numbers, where its words are, and how it is found.

create table learning (
    org_id        text not null,
    no            integer not null,  -- the place of the event that began it
    id            text not null,     -- that event's id
    kind          text not null,
    scope         text,
    category      text,
    status        text not null,
    superseded_by text,
    confidence    real not null,
    version       integer not null,
    confirmed     integer not null,  -- how often somebody said it again
    applied       integer not null,
    applied_at    integer,
    renewed_at    integer not null,  -- last said, confirmed or used
    said          integer not null,  -- the place of the event that holds its words
    changed       integer not null,  -- the place of the last event about it
    primary key (org_id, no)
) without rowid;

create unique index learning_id on learning (org_id, id);
create index learning_superseded on learning (org_id, superseded_by) where superseded_by is not null;

-- Where a word occurs: for each block of 4,096 places, which of them have it, and how much it weighs there.
create table posting (
    org_id  text not null,
    edition integer not null,  -- when all is derived anew, it is written as the next edition, which then takes over
    term    text not null,
    block   integer not null,
    entries blob not null,
    primary key (org_id, edition, term, block)
) without rowid;

-- The meaning of its words. Not derived from the log alone, but from a model: so it stands apart.
create table learning_vector (
    org_id   text not null,
    no       integer not null,
    mark     integer not null,       -- the organisation's count of vectors written: what is new has a higher one
    said     integer not null,       -- the words it was made of
    embedder text not null,
    vector   blob not null,          -- one byte a dimension
    primary key (org_id, no)
) without rowid;

create unique index learning_vector_mark on learning_vector (org_id, mark);

alter table org add column learnings integer not null default 0;  -- how many there are
alter table org add column vectors integer not null default 0;    -- how many vectors were ever written
alter table org add column edition integer not null default 0;    -- of postings
alter table org add column next_edition integer;                  -- the one that is being written, if any
