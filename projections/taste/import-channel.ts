/** On which every import that is queued is announced. */
export const IMPORT_CHANNEL = 'taste.import';
