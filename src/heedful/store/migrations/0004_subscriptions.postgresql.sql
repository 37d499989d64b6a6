-- Named followers of the log, and how far each has read.

create table subscription (
    org_id     text not null,
    name       text not null,
    position   bigint not null,
    failures   bigint not null,   -- in a row, at the event after position
    error      text,
    updated_at bigint not null,
    primary key (org_id, name)
);

alter table subscription enable row level security;
alter table subscription force row level security;
create policy own on subscription using (org_id = current_setting('heedful.org', true));
