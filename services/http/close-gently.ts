import type { FastifyInstance } from 'fastify';

const CLOSE_IDLE_EVERY_MS = 50;
/** Beyond the deadline of every request: what is left then only reads its answer too slowly. */
const CLOSE_ALL_AFTER_MS = 20_000;

/**
 * Stops listening and finishes what is under way. Connections are closed as they fall idle: one that was busy at first
 * would else be kept alive for its client's next request.
 */
export async function closeGently(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const giveUp = setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_AFTER_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(giveUp);
  }
}
