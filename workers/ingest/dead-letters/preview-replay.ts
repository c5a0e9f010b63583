import type { Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import type { LetterState } from './letter-class.ts';
import { forgetAllButLast, rehearse, startRehearsal } from './rehearsal.ts';
import { countSettled, type LetterSelector, planLetters, portionsOf } from './select-letters.ts';
import { decodeLetter, readLetters } from './stored-letter.ts';
import type { Outcome, ReadLetter, Verdict } from './verdict.ts';

/**
 * What a replay would come to: letters that would apply, that would be dead letters again, that are older than what is
 * stored, and those that are settled already.
 */
type PreviewOutcome = 'apply' | 'again' | 'older' | Exclude<LetterState, 'open'>;

export interface PreviewLine {
  readonly outcome: PreviewOutcome;
  readonly table: string | null;
  /** What would be wrong, as `field: reason`, with letters that would be dead letters again. */
  readonly violations: readonly string[];
  readonly letters: number;
  /** Ids of the first few; none of those that are settled. */
  readonly samples: number[];
}

const PORTION = 500;
const SAMPLES = 3;
const OUTCOMES: Readonly<Record<Outcome, PreviewOutcome>> = {
  replayed: 'apply',
  open: 'again',
  superseded: 'older',
};

/** Tells what a replay of the letters would do now, by doing the same without writing anything. */
export async function previewReplay(pool: Pool, selector: LetterSelector): Promise<PreviewLine[]> {
  return transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const planned = await planLetters(client, selector);
    const rehearsal = await startRehearsal(client);
    // Letters without a key come last and may turn out to be of any key.
    const areAllKeyed = planned.every(({ group }) => group !== null);
    const lines = new Map<string, PreviewLine>();
    for (const ids of portionsOf(planned, PORTION)) {
      const letters = await readLetters(client, ids);
      const read = letters.map((letter): ReadLetter => ({ letter, ...decodeLetter(letter) }));
      const verdicts = await rehearse(rehearsal, read);
      for (const [index, verdict] of verdicts.entries()) add(lines, letters[index]?.table ?? null, verdict);
      if (areAllKeyed) forgetAllButLast(rehearsal);
    }
    const settled = await countSettled(client, selector);
    return [
      ...lines.values(),
      ...settled.map(({ state, table, letters }): PreviewLine => {
        return { outcome: state, table, violations: [], letters, samples: [] };
      }),
    ];
  });
}

function add(lines: Map<string, PreviewLine>, table: string | null, verdict: Verdict): void {
  const outcome = OUTCOMES[verdict.outcome];
  const violations =
    verdict.outcome === 'open' ? verdict.violations.map(({ field, reason }) => `${field}: ${reason}`) : [];
  const id = JSON.stringify([outcome, table, violations]);
  const line = lines.get(id) ?? { outcome, table, violations, letters: 0, samples: [] };
  if (line.samples.length < SAMPLES) line.samples.push(verdict.id);
  lines.set(id, { ...line, letters: line.letters + 1 });
}
