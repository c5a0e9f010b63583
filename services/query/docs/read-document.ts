import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The members of the published document that pages show. */
export interface PublishedApi {
  readonly info: { readonly version: string; readonly description: string };
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
  /** Every code that `error` can have. */
  readonly 'x-error-codes': Readonly<Record<string, PublishedError>>;
}

export interface PublishedError {
  readonly status: number;
  readonly message: string;
  readonly hint: string;
}

export const DOCUMENT_FILE = fileURLToPath(new URL('./openapi.json', import.meta.url));

/** The committed document of the API; a test compares it with the routes. */
export const readDocument = (): PublishedApi =>
  JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as PublishedApi;
