import { transaction } from '../../../db/transaction.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { documentIds } from '../../../projections/engine/store/document-id.ts';
import { markDirty } from '../../../projections/engine/store/mark.ts';
import {
  documentTable,
  liveVersion,
  lookupTable,
  type Version,
} from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { catalogIdOf, clusterIdOf } from '../data/artist.ts';
import { startWorker, type Worker } from '../processes/program.ts';
import type { ProjectorJob, ProjectorTimes } from '../processes/projector.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { type IngestStage, processOptions } from './stage.ts';

const LEAST_PER_SECOND = 1_000;
/** Artists whose documents are projected part by part, and by one and two projectors. */
const SAMPLE = 4_000;

type Projector = Worker<ProjectorJob, ProjectorTimes>;

/** How fast dossiers are built from the mirror, and where the time goes. */
export async function* projectionFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { url } = stage.database;
  const projector = (name: string): Projector => startWorker('./projector.ts', processOptions(stage, name));
  const first = projector('projector');
  const built = await step('building all dossiers', () => first.run({ url, kind: 'rebuild' }));
  yield {
    name: 'dossiers built, one process',
    value: perSecond(built),
    unit: '/s',
    target: { least: LEAST_PER_SECOND },
    note: `${built.documents.toLocaleString('en-US')} documents, both lanes`,
  };
  const keys = sampleKeys(Math.min(SAMPLE, stage.options.artists));
  const parts = await step('part by part', () => first.run({ url, kind: 'parts', keys }));
  for (const part of ['read', 'build', 'compress', 'write'] as const) {
    yield {
      name: `of that: ${part}`,
      value: Math.round((100 * parts[part]) / parts.whole),
      unit: '%',
      note: `${((1_000 * parts[part]) / parts.documents).toFixed(0)} µs a document`,
    };
  }
  const alone = await step('one projector', () => drainWith(stage, keys, [first]));
  const second = projector('projector-2');
  const together = await step('two projectors', () => drainWith(stage, keys, [first, second]));
  yield {
    name: 'marked dossiers projected, two processes',
    value: together,
    unit: '/s',
    ceiling: { name: 'one process', value: alone },
    note: 'both, and PostgreSQL, share the cores of this machine',
  };
  for (const worker of [first, second]) await worker.stop();
}

const perSecond = ({ documents, whole }: ProjectorTimes): number => documents / (whole / 1_000);

const sampleKeys = (artists: number): SubjectRef[] =>
  Array.from({ length: artists }, (_, index): SubjectRef[] => [
    `artist:${clusterIdOf(index)}`,
    `catalog-artist:${catalogIdOf(index)}`,
  ]).flat();

/** Documents a second that projectors write from marks, with no stored document that they could skip. */
async function drainWith(
  stage: IngestStage,
  keys: readonly SubjectRef[],
  projectors: readonly Projector[],
): Promise<number> {
  const { pool, url } = stage.database;
  const version = await liveVersion(pool, artistProjection.name);
  if (version === null) throw new Error('there is no version to drain into');
  await removeDocuments(stage, version, keys);
  await transaction(pool, (client) => markDirty(client, [{ versions: [version], keys: new Set(keys) }]));
  const start = performance.now();
  const done = await Promise.all(projectors.map((projector) => projector.run({ url, kind: 'drain' })));
  const seconds = (performance.now() - start) / 1_000;
  const written = done.reduce((sum, { documents }) => sum + documents, 0);
  if (written !== keys.length) throw new Error(`${written} documents were written instead of ${keys.length}`);
  return written / seconds;
}

async function removeDocuments(
  { database: { pool } }: IngestStage,
  version: Version,
  keys: readonly SubjectRef[],
): Promise<void> {
  const ids = [documentIds(keys)];
  await pool.query(`delete from ${documentTable(version)} where id = any($1::uuid[])`, ids);
  await pool.query(`delete from ${lookupTable(version)} where document = any($1::uuid[])`, ids);
  await pool.query(`vacuum (analyze) ${documentTable(version)}, ${lookupTable(version)}`);
}
