// As in the service that it is measured against.
import '../../../services/http/keep-tick-shape.ts';
import { pino } from 'pino';
import { connect, LOOKUP_PLANNING } from '../../../db/connect.ts';
import { registerSources } from '../../../projections/engine/registry.ts';
import { bareApp } from '../platform/bare-app.ts';

/** Connections, as many as the query service has. */
const POOL_SIZE = 10;

const pool = connect(process.env.DATABASE_URL ?? '', 'bench bare', {
  max: POOL_SIZE,
  planning: LOOKUP_PLANNING,
});
const app = bareApp(pool, await registerSources(pool));
const url = await app.listen({ host: '127.0.0.1', port: 0 });
pino({ name: 'bare' }).info({ url }, 'bare service listens');
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
