import type { Consumer } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';

const CODE_PARAMETER = 'profile_code';
export const MAX_RETURN_URL = 2_048;

/** The URL that a user returns to, in serialised form. */
export interface ReturnUrl {
  readonly consumer: Consumer;
  readonly href: string;
}

/** The characters of a serialised URL, except the backslash, which some parsers read as a slash. */
const PRINTABLE = /^[!-[\]-~]+$/;
/** A percent sign without an escape, and escapes of control characters, which some parsers decode. */
const BAD_ESCAPE = /%(?![0-9a-f]{2})|%(?:[01][0-9a-f]|7f)/i;
/** Parts of a path that can change their meaning: encoded separators and dots, double escapes. */
const DISGUISED = /%(?:2e|2f|5c|25|3b)/i;

/**
 * Checks a return URL against the consumers' allowlist. Null if it is rejected: it must be in the serialised
 * form, so that every reader sees the same URL; its origin must equal a consumer's, and its path must be one of the
 * consumer's prefixes, or below it by whole segments.
 */
export function checkReturnUrl(text: string, consumers: Consumers): ReturnUrl | null {
  if (text.length > MAX_RETURN_URL || !PRINTABLE.test(text) || BAD_ESCAPE.test(text)) return null;
  // A fragment would hide the code. Some parsers end a segment or a parameter at a semicolon.
  if (text.includes('#') || text.includes(';') || !URL.canParse(text)) return null;
  const url = new URL(text);
  const consumer = consumers.byOrigin(url.origin);
  if (consumer === null || !isWrittenByRule(text, url)) return null;
  const isSoundPath = !DISGUISED.test(url.pathname) && !url.pathname.includes('//') && isUtf8(url.pathname);
  const isAllowed = isSoundPath && consumer.return_prefixes.some((prefix) => isWithin(url.pathname, prefix));
  return isAllowed ? { consumer, href: url.href } : null;
}

/** Whether the URL before its query is in serialised form: no user, default port, dot segments or capitals in the host. */
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

/** The return URL with a code. Keeps the consumer's own parameters, and replaces an existing code. */
export function withCode({ href }: ReturnUrl, code: string): string {
  const query = queryOf(href);
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isCode(nameOf(pair)));
  return `${href.slice(0, href.length - query.length)}?${[...kept, `${CODE_PARAMETER}=${code}`].join('&')}`;
}

/** Some parsers read a name with brackets as a member of the same parameter. */
const isCode = (name = ''): boolean => name === CODE_PARAMETER || name.startsWith(`${CODE_PARAMETER}[`);

// A question mark at the start would count as the start of the query.
const nameOf = (pair: string): string | undefined => new URLSearchParams(`&${pair}`).keys().next().value;
