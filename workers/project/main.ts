import { pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { projections } from '../../projections/index.ts';
import { registerSources } from '../../projections/registry.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { readConfig, WorkerConfig } from '../config.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { rebuild } from './build-version.ts';
import { runProjector } from './run-projector.ts';

const config = readConfig(WorkerConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'project' });
const pool = connect(config.DATABASE_URL, 'project', { max: 4 });
const registry = await registerSources(pool);

const fingerprint = projectionFingerprint();
for (const projection of projections) {
  const live = await liveVersion(pool, projection.name);
  if (live !== null && live.fingerprint !== fingerprint) {
    log.warn({ projection: projection.name }, 'documents were made by other code; rebuild to renew them');
  }
  if (live === null) {
    log.info({ projection: projection.name }, 'no documents yet; building them');
    await rebuild(pool, projection, registry, fingerprint);
  }
}
const projector = runProjector(pool, config.DATABASE_URL, registry, log);
log.info('projecting');
endOnSignal(log, async () => {
  await projector.stop();
  await pool.end();
});
