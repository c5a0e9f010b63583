import { decoded } from '../../web-address.ts';
import type { Page } from './read-page.ts';

const MAX_LENGTH = 200;

/**
 * The names that a part of the path may spell, `+` standing for a space: with the marks that ended the text, if it
 * is the last part, and without.
 *
 * @param index of the part within the path
 * @param decode what undoes the site's way of encoding a name
 */
export function spelledNames(
  page: Page,
  index: number,
  decode: (text: string) => string = decoded,
): string[] {
  const part = page.path[index];
  const asWritten = endsText(page, index) ? page.lastAsWritten : null;
  return distinctNames([asWritten ?? '', part ?? ''].map((text) => decode(text.replaceAll('+', ' '))));
}

/** Whether the marks that ended the text belong to the part of the path; after a slash they are a part of their own. */
export function endsText({ path, lastAsWritten }: Page, index: number): boolean {
  if (lastAsWritten === null) return false;
  if (index === path.length) return /^[.!?]+$/.test(lastAsWritten);
  return index === path.length - 1 && lastAsWritten.startsWith(path[index] ?? '');
}

/** The handle as a name: as it is, and with its separators taken for spaces. */
export const handleNames = (handle: string): string[] =>
  distinctNames([handle, handle.replaceAll(/[-_+]+/g, ' ')]);

const distinctNames = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.trim()).filter(isName)),
];

/** A part of one or two dots is no name but a step within the path. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_LENGTH && !/^\.{1,2}$|[\p{Cc}\p{Zl}\p{Zp}]/u.test(name);

/** For the path of an address; ends in nothing that could be taken for the end of a sentence. */
export function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*.]$/,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
