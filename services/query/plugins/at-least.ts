import type { FastifyReply, FastifyRequest, preHandlerHookHandler, RouteOptions } from 'fastify';
import { type LogPosition, parsePositions } from '../../../projections/freshness/position.ts';
import type { PositionWaiter } from '../../../projections/freshness/wait-visible.ts';
import { definePlugin } from '../../http/define-plugin.ts';
import { invalidParameter } from '../errors.ts';
import { AT_LEAST, FRESHNESS, WAIT } from '../serving/consistency-headers.ts';

const DEFAULT_WAIT_SECONDS = 5;
/** The deadline of a request leaves time for the answer after it. */
const MOST_WAIT_SECONDS = 10;
const SECONDS = /^\d{1,2}(?:\.\d{1,3})?$/;

/**
 * Lets a reader with a key see the effect of records of the log that it names: the request waits until they are visible,
 * at most as long as the reader would, and the answer says whether they are. The header of a visitor without a key means
 * nothing, or anybody could take all the places there are to wait in.
 */
export const atLeast = definePlugin<{ readonly waiter: PositionWaiter }>(
  'at-least',
  ['rate-limit'],
  (app, { waiter }) => {
    const wait: preHandlerHookHandler = (request, reply, done) => {
      const asked = request.headers[ASKED];
      if (asked === undefined) return done();
      waitFor(waiter, positionsOf(String(asked)), secondsOf(request), reply).then(() => done(), done);
    };
    app.addHook('onRoute', (route) => {
      if (isKeyedRead(route)) route.preHandler = [wait, ...[route.preHandler ?? []].flat()];
    });
    app.addHook('preClose', async () => waiter.stop());
  },
);

/** As headers are named once they have been read. */
const ASKED = AT_LEAST.toLowerCase();

const isKeyedRead = ({ method, url, config }: RouteOptions): boolean =>
  (method === 'GET' || method === 'HEAD') && !config?.isPublic && url.startsWith('/api/v2');

function positionsOf(text: string): readonly LogPosition[] {
  const positions = parsePositions(text);
  if ('problem' in positions) throw invalidParameter(AT_LEAST, positions.problem);
  return positions;
}

function secondsOf({ headers }: FastifyRequest): number {
  const asked = headers[WAIT.toLowerCase()];
  if (asked === undefined) return DEFAULT_WAIT_SECONDS;
  const seconds = SECONDS.test(String(asked)) ? Number(asked) : Number.NaN;
  if (!(seconds <= MOST_WAIT_SECONDS))
    throw invalidParameter(WAIT, `must be seconds from 0 to ${MOST_WAIT_SECONDS}`);
  return seconds;
}

async function waitFor(
  waiter: PositionWaiter,
  positions: readonly LogPosition[],
  seconds: number,
  reply: FastifyReply,
): Promise<void> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const { sight, waitedMs } = await waiter.wait(positions, seconds * 1000, gone.signal);
  const stale = `stale; waited=${(waitedMs / 1000).toFixed(1)}`;
  reply.header(FRESHNESS, { visible: 'fresh', 'not yet': stale, refused: `${stale}; refused` }[sight]);
}
