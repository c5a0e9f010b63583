/** PostgreSQL channel that announces queued imports. */
export const IMPORT_CHANNEL = 'taste.import';

/** Why an import failed or waits for a retry, with the message for the user. */
export const IMPORT_FAILURES = {
  not_configured: 'Imports from this service are not set up here yet. They begin as soon as they are set up.',
  user_not_found: 'The service has no user of this name.',
  private: 'The profile or collection is private. Make it public there and connect again.',
  not_computed: 'The service has not computed statistics for this user yet.',
  refused: 'The service rejects requests from here. The operators of this site have been notified.',
  unavailable: 'The service is unavailable or too busy.',
  bad_answer: 'The response of the service could not be read.',
} as const;

export type ImportFailure = keyof typeof IMPORT_FAILURES;
