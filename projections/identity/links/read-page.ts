import { parse } from 'tldts';
import { decoded } from '../../web-address.ts';
import type { Trimmed } from './trim-pasted.ts';

/** An address of the web whose host is beyond doubt. */
export interface Page {
  /** Lower case, IDN labels in their ASCII form. */
  readonly host: string;
  /** The part of the host that somebody registered. */
  readonly domain: string;
  /** What stands before the domain, without the dot; may be empty. */
  readonly subdomain: string;
  /** The parts of the path that are not empty, as written. */
  readonly path: readonly string[];
  /** The same, percent-decoded. */
  readonly segments: readonly string[];
  /** The last part of the path with the marks that ended the text; null where there were none. */
  readonly lastAsWritten: string | null;
  /** With its `?`, or empty. */
  readonly query: string;
  /** With its `#`, or empty. */
  readonly fragment: string;
}

const WEB_SCHEME = /^https?:\/\//i;
const ENCODED_SCHEME = /^https?%3a%2f%2f/i;
/** Characters that parsers of addresses drop or take for another, each in its own way. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\\]/u;
/** Parsers of addresses let through more than the name system does. */
const LABEL = '[a-z\\d_](?:[a-z\\d_-]{0,61}[a-z\\d_])?';
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const MAX_HOST_LENGTH = 253;
const NAME_MARKS = /^[.!?]+$/;

/** Null where the text is no web address, or one whose host may not be what it looks like. */
export function readPage({ text: pasted, tail }: Trimmed): Page | null {
  const text = ENCODED_SCHEME.test(pasted) ? decoded(pasted) : pasted;
  if (TREACHEROUS.test(text) || !text.isWellFormed()) return null;
  const hasScheme = WEB_SCHEME.test(text);
  const address = hasScheme ? text : `https://${text.startsWith('//') ? text.slice(2) : text}`;
  const url = URL.parse(address);
  if (url === null || !isPlainHost(authorityOf(address), url.hostname)) return null;
  const place = parse(url.hostname, { extractHostname: false });
  // A text without a scheme is an address only by a suffix that exists: "St.Germain" is none.
  if (place.domain === null || !(hasScheme || place.isIcann)) return null;

  const path = partsOf(url.pathname);
  const segments = path.map(decoded);
  if (segments.some((segment) => TREACHEROUS.test(segment))) return null;
  const isTailed = url.search === '' && url.hash === '' && NAME_MARKS.test(tail);
  return {
    host: url.hostname,
    domain: place.domain,
    subdomain: place.subdomain ?? '',
    path,
    segments,
    lastAsWritten: isTailed ? url.pathname.slice(url.pathname.lastIndexOf('/') + 1) + tail : null,
    query: url.search,
    fragment: url.hash,
  };
}

function authorityOf(address: string): string {
  const afterScheme = address.slice(address.indexOf('//') + 2);
  const end = afterScheme.search(/[/?#]/);
  return end < 0 ? afterScheme : afterScheme.slice(0, end);
}

/**
 * Whether the host is read as it is written, letters beyond ASCII aside, which make an IDN label. All else that
 * parsers accept is refused: logins, ports, other schemes, escapes, wide letters and dots, the root's dot.
 */
function isPlainHost(authority: string, host: string): boolean {
  if (host.length > MAX_HOST_LENGTH || !HOST.test(host)) return false;
  const written = authority.toLowerCase();
  return written === host || isHostInLetters(written, host);
}

function isHostInLetters(written: string, host: string): boolean {
  const labels = host.split('.');
  const asWritten = written.split('.');
  return (
    labels.length === asWritten.length &&
    labels.every((label, index) => {
      const as = asWritten[index] ?? '';
      return label === as || (label.startsWith('xn--') && !isAscii(as));
    })
  );
}

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');
