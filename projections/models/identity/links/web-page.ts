import { parse } from 'tldts';
import { decoded } from '../../shared/web-url.ts';
import type { PastedText } from './trim-pasted.ts';

/** A web URL with an unambiguous host. */
export interface WebPage {
  /** Lower case, IDN labels in their ASCII form. */
  readonly host: string;
  /** The registrable domain. */
  readonly domain: string;
  /** The labels before the domain, without the dot; may be empty. */
  readonly subdomain: string;
  /** The non-empty path segments, as written. */
  readonly path: readonly string[];
  /** The same, percent-decoded. */
  readonly segments: readonly string[];
  /** The last path segment with the punctuation that ended the text; null if there was none. */
  readonly lastAsWritten: string | null;
  /** With its `?`, or empty. */
  readonly query: string;
  /** With its `#`, or empty. */
  readonly fragment: string;
}

const WEB_SCHEME = /^https?:\/\//i;
const ENCODED_SCHEME = /^https?%3a%2f%2f/i;
/** Characters that URL parsers drop or replace, each differently. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\\]/u;
/** URL parsers accept more than DNS does. */
const LABEL = '[a-z\\d_](?:[a-z\\d_-]{0,61}[a-z\\d_])?';
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const MAX_HOST_LENGTH = 253;
const NAME_MARKS = /^[.!?]+$/;

/** Null if the text is not a web URL, or its host may not be what it looks like. */
export function readWebPage({ text: pasted, tail }: PastedText): WebPage | null {
  const text = ENCODED_SCHEME.test(pasted) ? decoded(pasted) : pasted;
  if (TREACHEROUS.test(text) || !text.isWellFormed()) return null;
  const hasScheme = WEB_SCHEME.test(text);
  const urlText = hasScheme ? text : `https://${text.startsWith('//') ? text.slice(2) : text}`;
  const url = URL.parse(urlText);
  if (url === null || !isPlainHost(authorityOf(urlText), url.hostname)) return null;
  const name = parse(url.hostname, { extractHostname: false });
  // Without a scheme only an existing suffix makes a text a URL: "St.Germain" is not one.
  if (name.domain === null || !(hasScheme || name.isIcann)) return null;

  const path = partsOf(url.pathname);
  const segments = path.map(decoded);
  if (segments.some((segment) => TREACHEROUS.test(segment))) return null;
  const isTailed = url.search === '' && url.hash === '' && NAME_MARKS.test(tail);
  return {
    host: url.hostname,
    domain: name.domain,
    subdomain: name.subdomain ?? '',
    path,
    segments,
    lastAsWritten: isTailed ? url.pathname.slice(url.pathname.lastIndexOf('/') + 1) + tail : null,
    query: url.search,
    fragment: url.hash,
  };
}

function authorityOf(urlText: string): string {
  const afterScheme = urlText.slice(urlText.indexOf('//') + 2);
  const end = afterScheme.search(/[/?#]/);
  return end < 0 ? afterScheme : afterScheme.slice(0, end);
}

/**
 * Whether the host is read as written, except letters beyond ASCII, which form an IDN label. Rejects everything else that
 * parsers accept: logins, ports, other schemes, escapes, wide letters and dots, the root's dot.
 */
function isPlainHost(authority: string, host: string): boolean {
  if (host.length > MAX_HOST_LENGTH || !HOST.test(host)) return false;
  const written = authority.toLowerCase();
  return written === host || isSafeIdn(written, host);
}

function isSafeIdn(written: string, host: string): boolean {
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
