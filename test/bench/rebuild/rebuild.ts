import { projections } from '../../../projections/index.ts';
import { rebuild } from '../../../workers/project/build-version.ts';
import type { Cleanup } from '../cleanup.ts';
import { fillMirror } from '../data/fill-mirror.ts';
import { openDatabase } from '../database.ts';
import { openEventLog } from '../ingest/event-log.ts';
import type { Stage } from '../ingest/stage.ts';
import type { BenchOptions } from '../options.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { idleFigures } from './idle.ts';
import { loadedFigures } from './loaded.ts';
import { parkedFigures } from './parked.ts';
import { startBuilders } from './stage.ts';

/** Rebuilds of the artist dossiers: on an idle system, under load, and after changes have piled up. */
export async function* benchRebuild(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const log = await step('starting Kafka', () => openEventLog(cleanup));
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const stage: Stage = { options, cleanup, database, log };
  await step(`writing the rows of ${options.artists} artists`, () =>
    fillMirror(database, options.seed, 0, options.artists),
  );
  await step('building what is served', async () => {
    for (const projection of projections) await rebuild(database.pool, projection, database.registry);
  });
  const builders = startBuilders(stage);
  const ceiling = yield* idleFigures(stage, builders);
  yield* loadedFigures(stage, builders, ceiling);
  yield* parkedFigures(stage, builders);
  for (const builder of builders) await builder.stop();
}
