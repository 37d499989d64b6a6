-- Named followers of the log, and how far each has read.

create table subscription (
    org_id     text not null,
    name       text not null,
    position   integer not null,
    failures   integer not null,   -- in a row, at the event after position
    error      text,
    updated_at integer not null,
    primary key (org_id, name)
) without rowid;
