import type { Consumer } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';

const CODE_PARAMETER = 'profile_code';
export const MAX_RETURN_URL = 2_048;

/** Where a consumer wants its user back, as URLs are serialised. */
export interface ReturnUrl {
  readonly consumer: Consumer;
  readonly href: string;
}

/** All that a written URL may consist of, but not a backslash, which some read as a slash. */
const PRINTABLE = /^[!-[\]-~]+$/;
/** A percent sign that begins no escape, and escapes of control characters, which some decode and act on. */
const BAD_ESCAPE = /%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|7f)/i;
/** What may come to mean something else in a path: separators and dots in disguise, an escape of an escape. */
const DISGUISED = /%(?:2e|2f|5c|25|3b)/i;

/**
 * Checks a return URL against the allowlist of the consumers. Null where it is refused: it has to be written as URLs
 * are serialised, so that whoever reads it, reads the same; its origin has to be a consumer's exactly, and its path
 * one of the consumer's prefixes, or below it by whole segments.
 */
export function checkReturnUrl(text: string, consumers: Consumers): ReturnUrl | null {
  if (text.length > MAX_RETURN_URL || !PRINTABLE.test(text) || BAD_ESCAPE.test(text)) return null;
  // A fragment would swallow the code. Some take a semicolon for the end of a segment, or of a parameter.
  if (text.includes('#') || text.includes(';') || !URL.canParse(text)) return null;
  const url = new URL(text);
  const consumer = consumers.byOrigin(url.origin);
  if (consumer === null || !isWrittenByRule(text, url)) return null;
  const isSoundPath = !DISGUISED.test(url.pathname) && !url.pathname.includes('//') && isUtf8(url.pathname);
  const isAllowed = isSoundPath && consumer.return_prefixes.some((prefix) => isWithin(url.pathname, prefix));
  return isAllowed ? { consumer, href: url.href } : null;
}

/** Whether nothing before the query is left out or written otherwise: no user, default port, dots or capitals in the host. */
function isWrittenByRule(text: string, { origin, pathname }: URL): boolean {
  const [given = ''] = text.split('?', 1);
  return given === origin + pathname || (given === origin && pathname === '/');
}

function isUtf8(escaped: string): boolean {
  try {
    decodeURIComponent(escaped);
    return true;
  } catch {
    return false;
  }
}

const isWithin = (path: string, prefix: string): boolean =>
  prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);

const queryOf = (text: string): string => {
  const start = text.indexOf('?');
  return start === -1 ? '' : text.slice(start);
};

/** The return URL with a code. The consumer's own parameters stay as they are; a code that is there already does not. */
export function withCode({ href }: ReturnUrl, code: string): string {
  const query = queryOf(href);
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isCode(nameOf(pair)));
  return `${href.slice(0, href.length - query.length)}?${[...kept, `${CODE_PARAMETER}=${code}`].join('&')}`;
}

/** Some read a name with brackets as the same parameter, with members. */
const isCode = (name = ''): boolean => name === CODE_PARAMETER || name.startsWith(`${CODE_PARAMETER}[`);

// A question mark at the very start would be taken for the start of the query.
const nameOf = (pair: string): string | undefined => new URLSearchParams(`&${pair}`).keys().next().value;
