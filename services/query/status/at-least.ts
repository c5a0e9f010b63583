import type { FastifyReply, FastifyRequest, preHandlerHookHandler, RouteOptions } from 'fastify';
import { parsePositions, type WaitTarget } from '../../../projections/engine/freshness/position.ts';
import { type PositionWaiter, UnknownTopic } from '../../../projections/engine/freshness/wait-visible.ts';
import { definePlugin } from '../../http/define-plugin.ts';
import { invalidParameter } from '../../http/errors.ts';
import { AT_LEAST, FRESHNESS, WAIT } from './consistency-headers.ts';

const DEFAULT_WAIT_SECONDS = 5;
/** Leaves time for the response before the request deadline. */
const MOST_WAIT_SECONDS = 10;
const SECONDS = /^\d{1,2}(?:\.\d{1,3})?$/;

/**
 * Reads with an API key can name log positions. The request waits, at most as long as the client allows, until those
 * records are visible, and the response says whether they are. The header is ignored on public routes, so that anonymous
 * clients cannot use up the waiting slots.
 */
export const atLeast = definePlugin<{ readonly waiter: PositionWaiter }>(
  'at-least',
  ['in-flight', 'rate-limit', 'fair-work'],
  (app, { waiter }) => {
    const wait: preHandlerHookHandler = (request, reply, done) => {
      const positions = request.headers[HEADER];
      if (positions === undefined) return done();
      app.inFlight.pause(request.inFlight, true);
      waitFor(waiter, reply, {
        positions: positionsOf(String(positions)),
        seconds: secondsOf(request),
      })
        .finally(() => app.inFlight.pause(request.inFlight, false))
        .then(() => done(), done);
    };
    app.addHook('onRoute', (route) => {
      if (isKeyedRead(route)) route.preHandler = [wait, ...[route.preHandler ?? []].flat()];
    });
    app.addHook('preClose', async () => waiter.stop());
  },
);

/** Node lower-cases the names of headers. */
const HEADER = AT_LEAST.toLowerCase();

const isKeyedRead = ({ method, url, config }: RouteOptions): boolean =>
  (method === 'GET' || method === 'HEAD') && !config?.isPublic && url.startsWith('/api/v2');

function positionsOf(text: string): readonly WaitTarget[] {
  const positions = parsePositions(text);
  if ('problem' in positions) throw invalidParameter(AT_LEAST, positions.problem);
  return positions;
}

function secondsOf({ headers }: FastifyRequest): number {
  const wait = headers[WAIT.toLowerCase()];
  if (wait === undefined) return DEFAULT_WAIT_SECONDS;
  const seconds = SECONDS.test(String(wait)) ? Number(wait) : Number.NaN;
  if (!(seconds <= MOST_WAIT_SECONDS))
    throw invalidParameter(WAIT, `must be seconds from 0 to ${MOST_WAIT_SECONDS}`);
  return seconds;
}

async function waitFor(
  waiter: PositionWaiter,
  reply: FastifyReply,
  { positions, seconds }: { readonly positions: readonly WaitTarget[]; readonly seconds: number },
): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const { outcome, waitedMs } = await waiter.wait(positions, seconds * 1000, gone.signal).catch((error) => {
    throw error instanceof UnknownTopic ? invalidParameter(AT_LEAST, error.message) : error;
  });
  const stale = `stale; waited=${(waitedMs / 1000).toFixed(1)}`;
  reply.header(
    FRESHNESS,
    { visible: 'fresh', 'not yet': stale, 'dead letter': `${stale}; refused` }[outcome],
  );
}
