import { projections } from '../../../projections/index.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { Cleanup } from '../cleanup.ts';
import { fillBenchMirror } from '../data/fill-mirror.ts';
import { openDatabase } from '../database.ts';
import { openEventLog } from '../ingest/event-log.ts';
import type { IngestStage } from '../ingest/stage.ts';
import type { BenchOptions } from '../options.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { backlogFigures } from './backlog.ts';
import { idleFigures } from './idle.ts';
import { loadedFigures } from './loaded.ts';
import { startBuilders } from './stage.ts';

/** Rebuilds of the artist dossiers: on an idle system, under load, and with a backlog of changes. */
export async function* benchRebuild(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const log = await step('starting Kafka', () => openEventLog(cleanup));
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const stage: IngestStage = { options, cleanup, database, log };
  await step(`writing the rows of ${options.artists} artists`, () =>
    fillBenchMirror(database, { seed: options.seed, to: options.artists }),
  );
  await step('building what is served', async () => {
    for (const projection of projections) await rebuild(database.pool, projection, database.registry);
  });
  const builders = startBuilders(stage);
  const ceiling = yield* idleFigures(stage, builders);
  yield* loadedFigures(stage, builders, ceiling);
  yield* backlogFigures(stage, builders);
  for (const builder of builders) await builder.stop();
}
