import { projections } from '../../../projections/index.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { Cleanup } from '../cleanup.ts';
import { fillBenchMirror } from '../data/fill-mirror.ts';
import { openDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { commitFigures } from './commits.ts';
import { openEventLog } from './event-log.ts';
import { loadFigures } from './load.ts';
import { projectionFigures } from './projection.ts';
import { sinkFigures } from './sink/sink.ts';
import { snapshotFigures } from './snapshot.ts';
import { emptyMirror, type IngestStage } from './stage.ts';
import { streamFigures } from './stream.ts';
import { visibleFigures } from './visible.ts';

/** The way of a change from the event log or a file to the answer of the service, part by part and as a whole. */
export async function* benchIngest(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const log = await step('starting Kafka', () => openEventLog(cleanup));
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const stage: IngestStage = { options, cleanup, database, log };
  const { only } = options;
  if (only === null || only === 'changes') yield* changeFigures(stage);
  if (only === null || only === 'load') yield* loadFigures(stage);
  if (only === null || only === 'sink') yield* sinkFigures(stage);
}

async function* changeFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { options, database } = stage;
  // Served versions are there from the start, so that every change costs its marks too.
  for (const projection of projections) {
    await rebuild(database.pool, projection, database.registry);
  }
  yield* commitFigures(stage);
  yield* streamFigures(stage);
  yield* snapshotFigures(stage);
  await emptyMirror(stage);
  await step(`writing the rows of ${options.artists} artists`, () =>
    fillBenchMirror(database, { seed: options.seed, to: options.artists }),
  );
  yield* projectionFigures(stage);
  yield* visibleFigures(stage);
}
