import { transaction } from '../../../db/transaction.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { markDirty } from '../../../projections/engine/store/mark.ts';
import { documentTable, lookupTable } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { AUTOMATIC } from '../../../workers/project/decision.ts';
import { rebuildKey } from '../../../workers/project/rebuild-key.ts';
import { artistSlug } from '../data/artist.ts';
import type { IngestStage } from '../ingest/stage.ts';
import { interleave, mean } from '../interleave.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { type Builder, dropOthers, liveArtists, most, rateOf, sum } from './stage.ts';

const ROUNDS = 2;
const LEAST_SHARE = 0.8;
const MARKS_PER_BATCH = 20_000;
const SINGLE = 100;
const MOST_SINGLE_MS = 100;

/**
 * Rebuilds on an idle system. The ceiling is what two projectors do when all the same documents are marked: as many
 * rows read, as many dossiers made, compressed and stored, without anything that a rebuild adds to it. A harder one
 * stands beside it for information: the same without storing anything.
 *
 * @returns documents a second of the ceiling, for what is measured under load
 */
export async function* idleFigures(
  stage: IngestStage,
  builders: readonly Builder[],
): AsyncGenerator<Figure, number> {
  const { url } = stage.database;
  const { artists } = stage.options;
  const { ceilings, subjects } = await step('projectors and builders by turns', () =>
    interleave(
      ROUNDS,
      () => drainAll(stage, builders),
      async () => {
        await dropOthers(stage);
        return rateOf(builders, () => ({ kind: 'build', url }), most);
      },
    ),
  );
  const ceiling = mean(ceilings);
  yield {
    name: 'dossiers rebuilt by two processes',
    value: mean(subjects),
    unit: '/s',
    ceiling: { name: 'two projectors on the same dossiers', value: ceiling },
    target: { least: LEAST_SHARE },
    note: 'from planning to the comparison with the live version',
  };
  const projected = await step('projecting without storing', () =>
    rateOf(builders, (first) => ({ kind: 'project', url, artists, first, step: builders.length }), sum),
  );
  yield {
    name: 'the same, against two processes that store nothing',
    value: mean(subjects),
    unit: '/s',
    ceiling: { name: 'reading, making and compressing alone', value: projected },
  };
  await dropOthers(stage);
  yield* singleFigures(stage);
  return ceiling;
}

/** Documents a second that two projectors write from marks, with nothing there that would let them skip one. */
async function drainAll(stage: IngestStage, builders: readonly Builder[]): Promise<number> {
  const { pool, url } = stage.database;
  await dropOthers(stage);
  const version = await liveArtists(stage);
  const { rows } = await pool.query<{ key: SubjectRef }>(`select key from ${documentTable(version)}`);
  await pool.query(`truncate ${documentTable(version)}, ${lookupTable(version)}`);
  for (let start = 0; start < rows.length; start += MARKS_PER_BATCH) {
    const keys = new Set(rows.slice(start, start + MARKS_PER_BATCH).map(({ key }) => key));
    await transaction(pool, (client) => markDirty(client, [{ versions: [version], keys }]));
  }
  return rateOf(
    builders,
    () => ({ kind: 'drain', url }),
    (answers) => {
      if (sum(answers) !== rows.length)
        throw new Error(`${sum(answers)} documents were written instead of ${rows.length}`);
      return rows.length;
    },
  );
}

/** One entity, looked up by its slug, projected and compared. */
async function* singleFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { pool, registry } = stage.database;
  const times = await step(`${SINGLE} single dossiers`, async () => {
    const taken: number[] = [];
    for (let turn = 0; turn < SINGLE; turn++) {
      const slug = artistSlug((turn * 7_919) % stage.options.artists);
      const start = performance.now();
      await rebuildKey(pool, artistProjection, registry, { name: slug, decision: AUTOMATIC });
      taken.push(performance.now() - start);
    }
    return taken;
  });
  yield {
    name: 'one dossier rebuilt: p95',
    value: percentile(times, 0.95),
    unit: 'ms',
    target: { most: MOST_SINGLE_MS },
    note: `p50 ${percentile(times, 0.5).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms`,
  };
}
