/** Whose guests are looked for; "w/" is part of a title as well, as in "Dancing w/ Myself". */
export type Guests = 'title' | 'credit';

const FEATURED = String.raw`(?:feat|ft|featuring)(?:\.\s*|\s)`;
/** "with", before a name rather than a word that goes on with the sentence. */
const WITH = String.raw`w\/\s*(?!(?:a|an|her|him|it|me|my|myself|no|o|out|the|them|u|us|you|your|yourself)(?![\p{L}\p{N}]))(?=[\p{L}\p{N}])`;

const WITHIN: Readonly<Record<Guests, RegExp>> = {
  title: new RegExp(String.raw`\s(?:${FEATURED}|${WITH})`, 'iu'),
  credit: new RegExp(String.raw`\s(?:${FEATURED}|w\/\s*(?=[\p{L}\p{N}]))`, 'iu'),
};
const AT_START = new RegExp(String.raw`^\s*(?:(?:feat|ft|featuring)(?![\p{L}\p{N}])|${WITH})`, 'iu');

/** Where guests begin to be named in a text; below zero where there are none. */
export const guestIn = (text: string, of: Guests): number => text.search(WITHIN[of]);

/** Whether what stands in brackets, or behind a dash, names guests. */
export const startsWithGuest = (text: string): boolean => AT_START.test(text);
