-- What an organisation has spent on language models, by day: a budget that holds for all processes together.

create table spending (
    org_id text not null,
    day    integer not null,   -- days since 1970-01-01, of UTC
    calls  integer not null,
    tokens integer not null,   -- in and out; of calls under way, the most they can take
    primary key (org_id, day)
) without rowid;
