export type { components, ErrorCode, operations, paths } from './api.ts';
export { createLinernotes, type Linernotes, type LinernotesOptions } from './create-linernotes.ts';
export { type ClientErrorCode, type ErrorDetail, LinernotesError } from './linernotes-error.ts';
export type { PagedPath, Rows } from './paging.ts';
export type { RetryOptions } from './with-retries.ts';
