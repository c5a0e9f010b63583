import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiDocument } from './openapi/document.ts';

export const DOCUMENT_FILE = fileURLToPath(new URL('./openapi.json', import.meta.url));

/** The committed document of the API, which a test holds against the routes. */
export const readDocument = (): ApiDocument => JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as ApiDocument;
