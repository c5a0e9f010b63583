/** Why an import failed, or why one that is queued again waits, and what to tell the user. */
export const IMPORT_FAILURES = {
  not_configured: 'Imports from this service are not set up here yet. They begin as soon as they are.',
  user_not_found: 'The service knows nobody by this username.',
  private: 'The profile or collection is private. Make it public there and connect again.',
  not_computed: 'The service has not worked out its statistics for this username yet.',
  refused: 'The service refuses requests from here. Whoever runs this site has been told.',
  unavailable: 'The service cannot be reached or is too busy.',
  bad_answer: 'The service answered with something that cannot be read.',
} as const;

export type ImportFailure = keyof typeof IMPORT_FAILURES;
