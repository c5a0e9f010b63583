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
/** Words that name a version if "by" follows: "Remix by Joe". */
const CREDITED: ReadonlySet<string> = new Set([...VERSIONS, 'edited', 'mixed', 'remixed', 'reworked']);
/** Words that name a version on their own, in brackets or after a dash. */
const ALONE: ReadonlySet<string> = new Set(['extended', 'original']);
const REMASTERS: ReadonlySet<string> = new Set(['remaster', 'remastered']);
const YEAR = /^\d{4}$/;

const OPENING = '([{【';
const CLOSING = ')]}】';
/** Most titles match none of this and are returned as they are. */
const HINT =
  /[([{【]|\s[-\u2010-\u2015]\s|\s(?:feat|ft|w\/)|\s(?:mix|edit|version|remix|rmx)\s*$|\sremaster/i;
const DASH = /\s[-\u2010-\u2015]\s/g;
const PHRASE =
  /\s(?:(?:album|club|extended|full|main|original|radio|single|vocal)\s(?:edit|mix|remix|version)|(?:\d{4}\s)?(?:digital\s)?remaster(?:ed)?(?:\s\d{4})?)$/i;
/**
 * A trailing "remix", except after a word that needs an object: "In the Remix" and "This Is a Remix" are titles.
 */
const REMIX =
  /(?<!(?:^|\s)(?:a|an|and|by|for|in|is|my|of|on|our|that|the|this|to|with|your|&|\+))\s(?:remix|rmx)$/i;
/** Longer texts are not titles with a suffix. */
const MAX_LENGTH = 1_000;

/**
 * Removes version names from a title: "(Original Mix)", "- Radio Edit", "[Remastered 2011]", "feat. Somebody",
 * "(Somebody Remix)". Returns the title unchanged if nothing would be left.
 */
export function withoutVersion(title: string): string {
  if (title.length > MAX_LENGTH) return title;
  const whole = title.normalize('NFKC').trim();
  if (!HINT.test(whole)) return title;
  let rest = withoutBrackets(whole, isVersion).trim();
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = withoutGuest(withoutDashed(before), 'title');
    // Last: it would cut the text after a dash.
    if (rest === before) rest = withoutPhrase(before);
  }
  return rest === '' || rest === whole ? title : rest;
}

/** Removes featured artists from a credit: "Lil Nas X feat. Jack Harlow", "Lil Nas X (ft. Jack Harlow)". */
export function withoutGuests(credit: string): string {
  if (credit.length > MAX_LENGTH) return credit;
  const whole = credit.normalize('NFKC').trim();
  const rest = withoutGuest(withoutBrackets(whole, startsWithGuest).trim(), 'credit');
  return rest === '' || rest === whole ? credit : rest;
}

/** Removes each bracketed part that matches; an unclosed bracket extends to the end of the text. */
function withoutBrackets(text: string, isRemoved: (inner: string) => boolean): string {
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
      if (!isRemoved(text.slice(from + 1, at))) kept += text.slice(from, at + 1);
      from = at + 1;
    }
  }
  return depth > 0 && isRemoved(text.slice(from + 1)) ? kept : kept + text.slice(from);
}

function withoutDashed(title: string): string {
  const last = [...title.matchAll(DASH)].at(-1);
  return last !== undefined && last.index > 0 && isVersion(title.slice(last.index + last[0].length))
    ? title.slice(0, last.index).trim()
    : title;
}

/** Removes guests up to the next bracket. */
function withoutGuest(text: string, context: GuestContext): string {
  const at = text.search(GUESTS[context]);
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
  return words.some((word, index) => CREDITED.has(word) && words[index + 1] === 'by');
}

/** Where guests are looked for; "w/" may be part of a title ("Dancing w/ Myself"). */
type GuestContext = 'title' | 'credit';

const FEATURED = String.raw`(?:feat|ft|featuring)(?:\.\s*|\s)`;
/** "w/" before a name, not before a word that continues the sentence. */
const WITH = String.raw`w\/\s*(?!(?:a|an|her|him|it|me|my|myself|no|o|out|the|them|u|us|you|your|yourself)(?![\p{L}\p{N}]))(?=[\p{L}\p{N}])`;

const GUESTS: Readonly<Record<GuestContext, RegExp>> = {
  title: new RegExp(String.raw`\s(?:${FEATURED}|${WITH})`, 'iu'),
  credit: new RegExp(String.raw`\s(?:${FEATURED}|w\/\s*(?=[\p{L}\p{N}]))`, 'iu'),
};
const STARTS_WITH_GUEST = new RegExp(String.raw`^\s*(?:(?:feat|ft|featuring)(?![\p{L}\p{N}])|${WITH})`, 'iu');

/** Whether text in brackets, or after a dash, names guests. */
const startsWithGuest = (text: string): boolean => STARTS_WITH_GUEST.test(text);
