/** SQL condition: the account has a newer import. @param row alias of the import */
export const hasNewerImport = (row: string): string => `exists (
  select from taste.import newer
  where newer.account_id = ${row}.account_id and (newer.requested_at, newer.id) > (${row}.requested_at, ${row}.id))`;

/** SQL condition: a consent covers the row of `taste.account`. */
export const HAS_CONSENT = `exists (
  select from taste.consent
  where consent.person_id = account.person_id and consent.service = account.service
    and consent.username = account.username and withdrawn_at is null)`;
