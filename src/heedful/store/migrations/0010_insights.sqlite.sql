-- What whole conversations taught: who contributed it, what people think of it, and how its likes are found.

alter table learning add column rated_up integer not null default 0;
alter table learning add column rated_down integer not null default 0;
alter table learning add column approved integer not null default 0;
alter table learning add column contributor text;

-- What insights that hold look like: no two of them may say the same, and those that nearly do are found by a band of
-- their SimHash, which two that differ in few bits have in common.
create table learning_signature (
    org_id    text not null,
    no        integer not null,
    canonical text not null,
    simhash   integer not null,
    band_a    integer not null,
    band_b    integer not null,
    band_c    integer not null,
    primary key (org_id, no)
) without rowid;

create unique index learning_signature_canonical on learning_signature (org_id, canonical);
create index learning_signature_a on learning_signature (org_id, band_a);
create index learning_signature_b on learning_signature (org_id, band_b);
create index learning_signature_c on learning_signature (org_id, band_c);

-- How far a file of conversations has been read. Its name is a digest: a path tells whose it is.
create table reading (
    org_id   text not null,
    source   text not null,
    position integer not null,
    mark     text not null,          -- of the part that was read: another file in its place is read from the beginning
    read_at  integer not null,
    primary key (org_id, source)
) without rowid;
