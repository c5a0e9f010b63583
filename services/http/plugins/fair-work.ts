import { AsyncResource } from 'node:async_hooks';
import type { onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { definePlugin } from '../define-plugin.ts';
import type { FairQueue, Work } from '../fair-queue.ts';
import { OVERLOADED } from './in-flight.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The turn of the request; null before it asked for one. */
    work: Work | null;
  }
  interface FastifyContextConfig {
    /** Units of the capacity that a request takes (default: 1). */
    cost?: number | ((request: FastifyRequest) => number);
  }
}

export interface FairWorkOptions {
  readonly queue: FairQueue;
  readonly metrics: Registry | null;
}

/** Longer than any handler runs. */
const LONGEST_MS = 15_000;
const CHECK_MS = 1_000;

/**
 * Lets the handlers of requests begin in fair turns of their keys, or of their networks without one. A turn ends when the
 * response is computed: a client that reads slowly does not keep it.
 */
export const fairWork = definePlugin<FairWorkOptions>(
  'fair-work',
  ['in-flight', 'rate-limit'],
  (app, { queue, metrics }) => {
    if (metrics !== null) showQueue(queue, metrics);
    app.decorateRequest('work', null);
    app.addHook('onRoute', (route) => {
      const { isNeverShed, cost = 1 } = route.config ?? {};
      if (isNeverShed) return;
      const costOf = typeof cost === 'number' ? () => cost : cost;
      const takeTurn: preHandlerHookHandler = (request, _reply, done) => {
        // Hooks of a route may be there twice for its HEAD.
        if (request.work !== null) return done();
        let proceed: (error?: Error) => void = done;
        let isWaiting = true;
        const end = (error?: Error): void => {
          isWaiting = false;
          proceed(error);
        };
        const work = {
          party: request.accessKey?.id ?? app.inFlight.networkOf(request),
          cost: costOf(request),
          start: () => end(),
          shed: () => end(OVERLOADED),
        };
        request.work = work;
        queue.enter(work);
        if (!isWaiting) return;
        // It will be called by the request that ends then, in whose context it must not run.
        proceed = AsyncResource.bind((error?: Error) => done(error));
        if (request.inFlight !== null)
          request.inFlight.onEnd = () => {
            if (isWaiting) queue.leave(work);
          };
      };
      route.preHandler = [takeTurn, ...[route.preHandler ?? []].flat()];
      route.onSend = [endTurn, ...[route.onSend ?? []].flat()];
    });

    const endTurn: onSendHookHandler = ({ work }, _reply, _payload, done) => {
      if (work !== null) queue.leave(work);
      done();
    };
    const timer = setInterval(() => queue.endOlderThan(LONGEST_MS), CHECK_MS);
    timer.unref();
    app.addHook('onClose', async () => clearInterval(timer));
  },
);

function showQueue(queue: FairQueue, metrics: Registry): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `linernotes_${name}`,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  gauge('work_running', 'Units of work that run.', queue.running);
  gauge('work_waiting', 'Requests that wait for their turn.', queue.waiting);
}
