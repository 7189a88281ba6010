create table schema_version (
    version integer     primary key,
    applied timestamptz not null default now()
);

-- A segment is sealed (see package snapshot) and named by the SHA-256 of its content.
create table segment (
    index_name text        not null,
    name       text        not null,
    bytes      bytea       not null,
    put_at     timestamptz not null,
    primary key (index_name, name)
);

-- Entries are compressed already.
alter table segment alter column bytes set storage external;

-- A manifest is sealed too. What stands beside the body is for listing, comparing and collecting.
create table manifest (
    index_name    text        not null,
    journal_topic uuid        not null,
    leader_epoch  integer     not null,
    next_offset   bigint      not null,
    taken_ms      bigint      not null,
    published     timestamptz not null,
    documents     bigint      not null,
    segment_bytes bigint      not null,
    segments      text[]      not null,
    body          bytea       not null,
    primary key (index_name, journal_topic, next_offset, leader_epoch)
);

alter table manifest alter column body set storage external;
