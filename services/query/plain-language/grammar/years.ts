import type { FactReading, Scene } from './reading.ts';
import type { Reader } from './words.ts';

/** A range of years, both ends included. */
interface Period {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** The range of years that a search accepts. */
export const FIRST_YEAR = 1900;
export const LAST_YEAR = 2100;

const DECADES: ReadonlyMap<string, number> = new Map([
  ['thirties', 1930],
  ['forties', 1940],
  ['fifties', 1950],
  ['sixties', 1960],
  ['seventies', 1970],
  ['eighties', 1980],
  ['nineties', 1990],
  ['noughties', 2000],
  ['naughties', 2000],
]);

/** First and last year within a decade. */
const PARTS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['early', [0, 3]],
  ['mid', [4, 6]],
  ['middle', [4, 6]],
  ['late', [7, 9]],
]);

const TO = new Set(['to', 'until', 'till', 'through', 'thru']);
const SINCE = new Set(['since', 'starting']);
const AFTER = new Set(['after', 'post']);
const BEFORE = new Set(['before', 'pre']);
const UNTIL = new Set(['until', 'till', 'through']);
const ONWARDS = new Set(['onward', 'onwards']);
const MADE = new Set(['released', 'recorded', 'made', 'issued', 'published']);
const WITHIN = new Set(['in', 'from', 'during', 'around', 'circa']);
const DASH = /^\s*[-–—]\s*$/;

/** Years in digits or words: a year, a decade or part of it, a range, or a limit. */
export function readYears({ reader }: Scene, index: number): FactReading | null {
  const start = MADE.has(reader.at(index)) ? index + 1 : index;
  const read = readRange(reader, start) ?? readLimit(reader, start) ?? readWithin(reader, start);
  if (read === null) return null;
  const { from, to, length } = read;
  return { length: start - index + length, fact: { kind: 'years', from, to } };
}

interface Span {
  readonly from: number | null;
  readonly to: number | null;
  readonly length: number;
}

/** `between 1992 and 1995`, `from 1992 to 1995`, `1992-95`. */
function readRange(reader: Reader, index: number): Span | null {
  const isBetween = reader.at(index) === 'between';
  const start = isBetween || reader.at(index) === 'from' ? index + 1 : index;
  const first = readPeriod(reader, start);
  if (first === null) return null;
  let next = start + first.length;
  const isDash = DASH.test(reader.before(next));
  if (isBetween ? reader.at(next) === 'and' : TO.has(reader.at(next))) next++;
  else if (!isDash) return null;
  const second = readPeriod(reader, next) ?? readShortYear(reader, next, first);
  if (second === null) return null;
  const [early, late] = second.to < first.from ? [second, first] : [first, second];
  return { from: early.from, to: late.to, length: next + second.length - index };
}

/** The 95 of `1992-95`, the 02 of `1999-02`. */
function readShortYear(reader: Reader, index: number, first: Period): Period | null {
  if (!/^\d\d$/.test(reader.at(index))) return null;
  const inCentury = Math.floor(first.from / 100) * 100 + Number(reader.at(index));
  const year = inCentury < first.from ? inCentury + 100 : inCentury;
  if (year > LAST_YEAR) return null;
  return { from: year, to: year, length: 1 };
}

/** `since 2010`, `from 2010 on`, `after 2010`, `before 1980`, `up to 1980`. */
function readLimit(reader: Reader, index: number): Span | null {
  const limit = (words: number, toSpan: (period: Period) => Omit<Span, 'length'>): Span | null => {
    const period = readPeriod(reader, index + words);
    return period && { ...toSpan(period), length: words + period.length };
  };
  const word = reader.at(index);
  if (SINCE.has(word)) return limit(1, ({ from }) => ({ from, to: null }));
  if (AFTER.has(word)) return limit(1, ({ to }) => ({ from: to + 1, to: null }));
  if (BEFORE.has(word)) return limit(1, ({ from }) => ({ from: null, to: from - 1 }));
  if (reader.says(index, 'prior', 'to')) return limit(2, ({ from }) => ({ from: null, to: from - 1 }));
  if (UNTIL.has(word)) return limit(1, ({ to }) => ({ from: null, to }));
  if (reader.says(index, 'up', 'to')) return limit(2, ({ to }) => ({ from: null, to }));
  const onwards = limit(word === 'from' ? 1 : 0, ({ from }) => ({ from, to: null }));
  if (onwards === null) return null;
  const next = index + onwards.length;
  const isOpen =
    ONWARDS.has(reader.at(next)) || (word === 'from' && reader.at(next) === 'on' && isLast(reader, next));
  return isOpen ? { ...onwards, length: onwards.length + 1 } : null;
}

/** "From 1995 on" is open, "from 1995 on vinyl" is not. */
const isLast = (reader: Reader, index: number): boolean => reader.words[index + 1]?.kind !== 'word';

/** `in 1999`, `from the early nineties`, or a period alone. */
function readWithin(reader: Reader, index: number): Span | null {
  const words = WITHIN.has(reader.at(index)) ? 1 : 0;
  const period = readPeriod(reader, index + words);
  return period && { ...period, length: words + period.length };
}

function readPeriod(reader: Reader, index: number): Period | null {
  const start = reader.at(index) === 'the' ? index + 1 : index;
  const early = PARTS.get(reader.at(start));
  let next = early === undefined ? start : start + 1;
  let late = early;
  if (early !== undefined && TO.has(reader.at(next)) && PARTS.has(reader.at(next + 1))) {
    late = PARTS.get(reader.at(next + 1));
    next += 2;
  }
  const decade = decadeOf(reader.at(next));
  const length = next + 1 - index;
  if (decade !== null) return { from: decade + (early?.[0] ?? 0), to: decade + (late?.[1] ?? 9), length };
  const year = early === undefined && start === index ? yearOf(reader.at(next)) : null;
  return year === null ? null : { from: year, to: year, length };
}

function decadeOf(word: string): number | null {
  const named = DECADES.get(word);
  if (named !== undefined) return named;
  if (/^(?:19|20)\d0s$/.test(word)) return Number(word.slice(0, 4));
  // This century has only three decades so far.
  if (/^\d0s$/.test(word)) return Number(word.slice(0, 2)) + (Number(word[0]) < 3 ? 2000 : 1900);
  return null;
}

function yearOf(word: string): number | null {
  const year = /^\d{4}$/.test(word) ? Number(word) : Number.NaN;
  return year >= FIRST_YEAR && year <= LAST_YEAR ? year : null;
}
