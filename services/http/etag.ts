import { hash } from 'node:crypto';

/** A weak validator: the same content, though `generated_at` and the coding may differ. */
export const weakEtag = (...parts: readonly string[]): string => `W/"${parts.join('-')}"`;

const DIGEST_LENGTH = 22;

/** A weak validator of a response's content; its bytes may differ only in coding. */
export const contentEtag = (content: string | Buffer): string =>
  weakEtag(hash('sha256', content, 'base64url').slice(0, DIGEST_LENGTH));

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether If-None-Match names the tag, by the weak comparison of RFC 9110, 8.8.3.2. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // What nearly every client sends.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = opaqueTag(etag);
  for (const [, tag] of ifNoneMatch.matchAll(ENTITY_TAG)) if (tag === opaque) return true;
  return false;
}

const opaqueTag = (etag: string): string => (etag.startsWith('W/') ? etag.slice(2) : etag);
