import { type Guests, guestIn, startsWithGuest } from './guests.ts';

/** Words that end the name of a version: "Original Mix", "Radio Edit", "Joe Claussell Remix". */
const VERSIONS: ReadonlySet<string> = new Set([
  'bootleg',
  'dub',
  'edit',
  'mix',
  'refix',
  'remaster',
  'remastered',
  'remix',
  'rework',
  'rmx',
  'version',
]);
/** Words that name a version where a name follows: "Remix by Joe". */
const MADE: ReadonlySet<string> = new Set([...VERSIONS, 'edited', 'mixed', 'remixed', 'reworked']);
/** Words that name a version where they stand alone, apart from the title. */
const ALONE: ReadonlySet<string> = new Set(['extended', 'original']);
const REMASTERS: ReadonlySet<string> = new Set(['remaster', 'remastered']);
const YEAR = /^\d{4}$/;

const OPENING = '([{【';
const CLOSING = ')]}】';
/** Nearly all titles hold nothing of the kind and are left alone at once. */
const HINT =
  /[([{【]|\s[-\u2010-\u2015]\s|\s(?:feat|ft|w\/)|\s(?:mix|edit|version|remix|rmx)\s*$|\sremaster/i;
const DASH = /\s[-\u2010-\u2015]\s/g;
const PHRASE =
  /\s(?:(?:album|club|extended|full|main|original|radio|single|vocal)\s(?:edit|mix|remix|version)|(?:\d{4}\s)?(?:digital\s)?remaster(?:ed)?(?:\s\d{4})?)$/i;
/**
 * A remix of a title of its own, which "In the Remix" or "This Is a Remix" are not: a word that wants another behind it
 * ends no title.
 */
const REMIX =
  /(?<!(?:^|\s)(?:a|an|and|by|for|in|is|my|of|on|our|that|the|this|to|with|your|&|\+))\s(?:remix|rmx)$/i;
/** What is longer is no title with a suffix. */
const MAX_LENGTH = 1_000;

/**
 * A title without what names the version: "(Original Mix)", "- Radio Edit", "[Remastered 2011]", "feat. Somebody",
 * "(Somebody Remix)". The title itself where nothing else would be left of it.
 */
export function withoutVersion(title: string): string {
  if (title.length > MAX_LENGTH) return title;
  const whole = title.normalize('NFKC').trim();
  if (!HINT.test(whole)) return title;
  let rest = withoutBrackets(whole, isVersion).trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = withoutGuest(withoutDashed(before), 'title');
    // Last, for it would take the end off what is behind a dash.
    if (rest === before) rest = withoutPhrase(before);
  }
  return rest === '' || rest === whole ? title : rest;
}

/** An artist without those who are featured: "Lil Nas X feat. Jack Harlow", "Lil Nas X (ft. Jack Harlow)". */
export function withoutGuests(credit: string): string {
  if (credit.length > MAX_LENGTH) return credit;
  const whole = credit.normalize('NFKC').trim();
  const rest = withoutGuest(withoutBrackets(whole, startsWithGuest).trim(), 'credit');
  return rest === '' || rest === whole ? credit : rest;
}

/** Without each pair of brackets, at the end or within, that holds what is to go; one that is never closed ends with the text. */
function withoutBrackets(text: string, isToGo: (inner: string) => boolean): string {
  let kept = '';
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (OPENING.includes(sign)) {
      if (depth === 0) {
        kept += text.slice(from, at);
        from = at;
      }
      depth++;
    } else if (CLOSING.includes(sign) && depth > 0) {
      depth--;
      if (depth > 0) continue;
      if (!isToGo(text.slice(from + 1, at))) kept += text.slice(from, at + 1);
      from = at + 1;
    }
  }
  return depth > 0 && isToGo(text.slice(from + 1)) ? kept : kept + text.slice(from);
}

function withoutDashed(title: string): string {
  const last = [...title.matchAll(DASH)].at(-1);
  return last !== undefined && last.index > 0 && isVersion(title.slice(last.index + last[0].length))
    ? title.slice(0, last.index).trim()
    : title;
}

/** Guests are named up to the next bracket. */
function withoutGuest(text: string, of: Guests): string {
  const at = guestIn(text, of);
  if (at <= 0) return text;
  const bracket = text.slice(at).search(/[([{【]/);
  return `${text.slice(0, at)} ${bracket < 0 ? '' : text.slice(at + bracket)}`.trim();
}

const withoutPhrase = (title: string): string => title.replace(PHRASE, '').replace(REMIX, '').trim();

function isVersion(text: string): boolean {
  if (startsWithGuest(text)) return true;
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !YEAR.test(word));
  const [first = ''] = words;
  if (REMASTERS.has(first) || VERSIONS.has(words.at(-1) ?? '')) return true;
  if (words.length === 1 && ALONE.has(first)) return true;
  return words.some((word, index) => MADE.has(word) && words[index + 1] === 'by');
}
