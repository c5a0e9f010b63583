-- Up Migration

create schema operation;

-- Actions of operators, recorded in the transaction of the action.
create table operation.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  reason text,
  detail jsonb not null default '{}'
);

create index audit_target on operation.audit (target, id);

-- Down Migration

drop schema operation cascade;
