-- Who may speak for an organisation, and what it has a licence for.

alter table org add column tier text;                                -- null: what this installation gives to all
alter table org add column followed integer not null default 0;  -- 1: it has webhooks, which want to hear of new events

create table api_key (
    org_id       text not null,
    id           text not null,
    name         text not null,
    role         text not null,
    hash         text not null,    -- SHA-256 of the key, which is 256 random bits: no salt, no slow hash needed
    rate_limit   integer,          -- requests a minute, or null for what the server allows all
    created_at   integer not null,
    expires_at   integer,
    revoked_at   integer,
    last_used_at integer,
    primary key (org_id, id)
) without rowid;

create unique index api_key_hash on api_key (hash);

-- Links that sign a browser in once.
create table sign_in (
    org_id     text not null,
    hash       text not null,
    key_id     text not null,
    expires_at integer not null,
    primary key (org_id, hash)
) without rowid;

create unique index sign_in_hash on sign_in (hash);

-- Sessions that were signed out before their time.
create table ended_session (
    org_id     text not null,
    hash       text not null,
    expires_at integer not null,
    primary key (org_id, hash)
) without rowid;

-- What the servers of one database share, such as the secret that signs sessions.
create table server_secret (
    name  text primary key,
    value text not null
) without rowid;
