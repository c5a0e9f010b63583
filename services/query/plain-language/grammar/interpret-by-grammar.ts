import type { Interpretation, SearchFilters, Vocabulary } from '../interpretation.ts';
import { FILLERS, REQUEST } from './fillers.ts';
import { draftFilters } from './filters.ts';
import { boundedLookup } from './labels.ts';
import { lexiconOf } from './lexicon.ts';
import { parse } from './parse.ts';
import type { Scene, TextPart } from './reading.ts';
import { readerOf } from './words.ts';

/** Interprets a text by the rules of the grammar over the current vocabulary. */
export async function interpretByGrammar(text: string, vocabulary: Vocabulary): Promise<Interpretation> {
  const scene: Scene = {
    reader: readerOf(text),
    lexicon: lexiconOf(vocabulary),
    label: boundedLookup((name) => vocabulary.labels(name)),
  };
  const parts = await parse(scene);
  const { filters, unexpressed } = draftFilters(parts);
  const isLiteral =
    YEAR_ALONE.test(text) || !parts.some(({ fact }) => fact !== null) || onlyExcludes(parts, filters);
  if (isLiteral) return literal(text);
  // Names count half, because they may be wrong.
  const literals = parts.filter(({ fact }) => fact?.kind === 'literal');
  const leftOver = parts.filter(({ fact }) => fact === null);
  const unmatched = [...leftOver, ...parts.filter((part) => unexpressed.has(part))]
    .sort((a, b) => a.start - b.start)
    .map(({ start, length }) => scene.reader.slice(start, length));
  return {
    q: queryOf(scene, parts),
    filters,
    engine: 'grammar',
    confidence: round(1 - (wordsIn(leftOver, unexpressed) + wordsIn(literals) / 2) / wordsIn(parts)),
    unmatched,
  };
}

/** A text that only excludes, such as "No Doubt", is a name. */
function onlyExcludes(parts: readonly TextPart[], filters: SearchFilters): boolean {
  const named = Object.keys(filters).filter((name) => !name.startsWith('exclude_'));
  const isSought = parts.some(({ fact }) => fact === null || fact.kind === 'literal');
  return named.length === 0 && !isSought && !parts.some(({ fact }) => fact?.kind === 'country');
}

/** "1999" and "The 1975" alone are a title and a band. */
const YEAR_ALONE = /^\s*(?:the\s+)?\d{4}\s*$/i;

/** Searches for the text literally. */
function literal(text: string): Interpretation {
  const trimmed = text.trim();
  const q = trimmed.replace(REQUEST, '') || trimmed;
  const words = readerOf(q).words.filter(({ kind }) => kind !== 'pause');
  return { q, filters: {}, engine: 'grammar', confidence: 0, unmatched: words.map((word) => word.text) };
}

/** The words that no filter covers, in order, with the fillers between them. */
function queryOf({ reader }: Scene, parts: readonly TextPart[]): string {
  const runs: string[] = [];
  let start: number | null = null;
  let end = 0;
  const close = (): void => {
    if (start !== null) runs.push(reader.slice(start, end - start));
    start = null;
  };
  for (const { start: from, length, fact } of parts) {
    const isWithin = start !== null && betweenAre(reader, end, from);
    if (fact !== null || !isWithin) close();
    if (fact?.kind === 'literal') runs.push(fact.text);
    if (fact !== null) continue;
    start ??= headOf(reader, from);
    end = from + length;
  }
  close();
  return runs.filter((run) => run !== '').join(' ');
}

/** The start of a name, including a leading "The", "New" or "My". */
function headOf(reader: Scene['reader'], from: number): number {
  const isHead =
    NAME_HEADS.test(reader.words[from - 1]?.text ?? '') &&
    /^[\p{Lu}\p{N}]/u.test(reader.words[from]?.text ?? '');
  return isHead ? from - 1 : from;
}

const NAME_HEADS = /^(?:The|New|My)$/;

/** Whether all words between two indexes are fillers. */
function betweenAre(reader: Scene['reader'], from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (!FILLERS.has(reader.at(index))) return false;
  return true;
}

const wordsIn = (parts: readonly TextPart[], more: ReadonlySet<TextPart> = new Set()): number =>
  [...parts, ...more].reduce((count, { length }) => count + length, 0);

const round = (share: number): number => Math.round(share * 100) / 100;
