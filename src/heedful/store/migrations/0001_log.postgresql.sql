-- The log: what people did and said, in the order it was recorded.

-- Whoever records events holds the organisation's row meanwhile.
create table org (
    org_id     text primary key,
    floor      bigint not null,   -- places up to this one are taken, even if their events were erased
    created_at bigint not null
);

create table feedback_event (
    org_id      text not null,
    seq         bigint not null,
    id          text not null,
    kind        text not null,
    at          bigint not null,  -- microseconds since 1970-01-01 UTC, as everywhere
    actor       text,
    entity_kind text,
    entity_id   text,
    layout      text,
    before      text not null,     -- canonical JSON
    after       text not null,
    meta        text not null,
    primary key (org_id, seq)
);

create unique index feedback_event_id on feedback_event (org_id, id);
create index feedback_event_kind on feedback_event (org_id, kind, seq);
create index feedback_event_actor on feedback_event (org_id, actor, seq) where actor is not null;
create index feedback_event_entity on feedback_event (org_id, entity_id, entity_kind, seq) where entity_id is not null;
create index feedback_event_layout on feedback_event (org_id, layout, seq) where layout is not null;

-- In which stretch of the log the events of an hour are. Time nearly follows seq, so this small table does for
-- "since" and "until" what an index on (org_id, at), and a time in every other index, would do at twice the cost of a write.
create table log_hour (
    org_id    text not null,
    hour      integer not null,    -- hours since 1970-01-01
    first_seq bigint not null,
    last_seq  bigint not null,
    primary key (org_id, hour)
);

create function refuse_update() returns trigger language plpgsql as $$
begin
    raise exception 'feedback_event is append-only';
end $$;

create trigger feedback_event_is_append_only before update on feedback_event
    for each row execute function refuse_update();

-- Each transaction names its organisation (heedful.org); workers and maintenance name none and say so
-- (heedful.system). FORCE: the owner of the tables is bound as well.
alter table org enable row level security;
alter table org force row level security;
create policy own_or_system on org
    using (org_id = current_setting('heedful.org', true) or current_setting('heedful.system', true) = 'on');

alter table feedback_event enable row level security;
alter table feedback_event force row level security;
create policy own on feedback_event using (org_id = current_setting('heedful.org', true));

alter table log_hour enable row level security;
alter table log_hour force row level security;
create policy own on log_hour using (org_id = current_setting('heedful.org', true));
