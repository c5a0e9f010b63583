-- Up Migration

-- Forms that were sent: each works once. Rows of expired forms are removed.
create table taste.form (
  -- The signature in the form's token, which no other form has.
  mac bytea primary key,
  expires_at timestamptz not null
);

-- A withdrawal by the person has a receipt of its own; a consent that a newer one replaced, or whose consumer ended its
-- access, has none.
alter table taste.consent
  add column withdrawal_receipt text unique check (withdrawal_receipt like 'rcpt\_v1\_%');

-- Down Migration

-- Receipts of withdrawals are lost.
alter table taste.consent drop column withdrawal_receipt;
drop table taste.form;
