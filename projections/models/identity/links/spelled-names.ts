import { decoded } from '../../shared/web-url.ts';
import type { WebPage } from './web-page.ts';

const MAX_LENGTH = 200;

/**
 * The names that a path segment may spell, with `+` for a space. The last segment comes with and without the punctuation
 * that ended the text.
 *
 * @param index of the segment
 * @param decode undoes the site's encoding of names
 */
export function spelledNames(
  page: WebPage,
  index: number,
  decode: (text: string) => string = decoded,
): string[] {
  const part = page.path[index];
  const asWritten = endsText(page, index) ? page.lastAsWritten : null;
  return distinctNames([asWritten ?? '', part ?? ''].map((text) => decode(text.replaceAll('+', ' '))));
}

/** Whether the trailing punctuation belongs to the segment; after a slash it is a segment of its own. */
export function endsText({ path, lastAsWritten }: WebPage, index: number): boolean {
  if (lastAsWritten === null) return false;
  if (index === path.length) return /^[.!?]+$/.test(lastAsWritten);
  return index === path.length - 1 && lastAsWritten.startsWith(path[index] ?? '');
}

/** The handle as a name: as written, and with its separators as spaces. */
export const handleNames = (handle: string): string[] =>
  distinctNames([handle, handle.replaceAll(/[-_+]+/g, ' ')]);

const distinctNames = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim()).filter(isName)),
];

/** One or two dots are a step within the path, not a name. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_LENGTH && !/^\.{1,2}$|[\p{Cc}\p{Zl}\p{Zp}]/u.test(name);

/** Encodes a name for a URL path, so that the URL does not end in punctuation. */
export function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*.]$/,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
