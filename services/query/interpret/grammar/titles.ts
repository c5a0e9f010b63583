import type { Part } from './parse.ts';
import type { Scene } from './reading.ts';

/**
 * A year without a word before it may be a title or a band: in front of whom something is by, behind an article, or
 * where nothing is said beside it but names.
 */
export function withTitles(scene: Scene, parts: readonly Part[]): Part[] {
  const isSaid = parts.some(
    (part) => part.fact !== null && part.fact.kind !== 'literal' && !isBare(scene, part),
  );
  return parts.map((part, place) => {
    if (!isBare(scene, part)) return part;
    const isAmongNames = !isSaid && parts.some((other) => !isBare(scene, other));
    const isTitle = isAmongNames || isBeforeBy(scene, part, parts[place + 1]) || isBehindArticle(scene, part);
    return isTitle ? { ...part, fact: null } : part;
  });
}

const isBare = ({ reader }: Scene, { start, length, fact }: Part): boolean =>
  fact?.kind === 'years' && length === 1 && /^\d{4}$/.test(reader.at(start));

const isBeforeBy = ({ reader }: Scene, { start }: Part, next: Part | undefined): boolean =>
  next?.fact?.kind === 'literal' && next.start === start + 1 && reader.at(next.start) === 'by';

const isBehindArticle = ({ reader }: Scene, { start }: Part): boolean => reader.at(start - 1) === 'the';
