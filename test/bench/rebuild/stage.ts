import { sweepRetired } from '../../../projections/engine/store/retire.ts';
import { liveVersion, type Version } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { type IngestStage, processOptions } from '../ingest/stage.ts';
import type { BuilderJob } from '../processes/builder.ts';
import { startWorker, type Worker } from '../processes/program.ts';

export type Builder = Worker<BuilderJob, number>;

export const startBuilders = (stage: IngestStage): Builder[] =>
  ['builder-1', 'builder-2'].map((name) => startWorker('./builder.ts', processOptions(stage, name)));

/** Documents a second of builders that do one thing together. @param count of what they did, by what each answers */
export async function rateOf(
  builders: readonly Builder[],
  jobOf: (index: number) => BuilderJob,
  count: (answers: readonly number[]) => number,
): Promise<number> {
  const start = performance.now();
  const answers = await Promise.all(builders.map((builder, index) => builder.run(jobOf(index))));
  return count(answers) / ((performance.now() - start) / 1_000);
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const most = (values: readonly number[]): number => Math.max(...values);

export async function liveArtists({ database: { pool } }: IngestStage): Promise<Version> {
  const live = await liveVersion(pool, artistProjection.name);
  if (live === null) throw new Error('no version is live');
  return live;
}

/** Drops all versions of the artists but the live one. */
export async function dropOthers({ database: { pool } }: IngestStage): Promise<void> {
  await pool.query(
    `update projection.version set state = 'retired' where projection = $1 and state <> 'live'`,
    [artistProjection.name],
  );
  await sweepRetired(pool);
}
