-- Who may speak for an organisation, and what it has a licence for.

alter table org add column tier text;                                -- null: what this installation gives to all
alter table org add column followed bigint not null default 0;  -- 1: it has webhooks, which want to hear of new events

create table api_key (
    org_id       text not null,
    id           text not null,
    name         text not null,
    role         text not null,
    hash         text not null,    -- SHA-256 of the key, which is 256 random bits: no salt, no slow hash needed
    rate_limit   bigint,          -- requests a minute, or null for what the server allows all
    created_at   bigint not null,
    expires_at   bigint,
    revoked_at   bigint,
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

-- Sessions that were signed out before their time.
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

alter table api_key enable row level security;
alter table api_key force row level security;
create policy own_or_system on api_key
    using (org_id = current_setting('heedful.org', true) or current_setting('heedful.system', true) = 'on');

alter table sign_in enable row level security;
alter table sign_in force row level security;
create policy own_or_system on sign_in
    using (org_id = current_setting('heedful.org', true) or current_setting('heedful.system', true) = 'on');

alter table server_secret enable row level security;
alter table server_secret force row level security;
create policy system on server_secret using (current_setting('heedful.system', true) = 'on');

alter table ended_session enable row level security;
alter table ended_session force row level security;
create policy own_or_system on ended_session
    using (org_id = current_setting('heedful.org', true) or current_setting('heedful.system', true) = 'on');
