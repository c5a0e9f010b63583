import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Connection, type Connections, openConnections } from './connections.ts';
import { ApiError } from './errors.ts';
import type { Releasable } from './limits/slots.ts';

export interface InFlightRequest {
  readonly reply: FastifyReply;
  readonly connection: Connection;
  /** Milliseconds, by a clock that is never set. */
  readonly arrivedAt: number;
  /** The key that the request counts against, or its network; null while the key of a keyed connection is verified. */
  party: string | null;
  /** Whether it counts against its network. */
  isKeyless: boolean;
  /** Whether it waits for data to arrive, and so costs nothing. */
  isPaused: boolean;
  /** Called when it ends. */
  onEnd: (() => void) | null;
  slot: Releasable | null;
  isInFlight: boolean;
  isOverdue: boolean;
  /** Its index among all in-flight requests. */
  index: number;
}

/** The in-flight requests of one client. */
export interface ClientCaps {
  /** Requests of one connection, which a client reaches by pipelining. */
  readonly perConnection: number;
  /** Requests without a verified key from one network. */
  readonly perAddress: number;
}

export const DEFAULT_CLIENT_CAPS: ClientCaps = {
  perConnection: 32,
  perAddress: 500,
};

/** The cap that a client has reached. */
export type ReachedCap = keyof ClientCaps;

/** All in-flight requests of a process, with their deadlines. */
export interface InFlightRequests {
  readonly connections: Connections;
  count(): number;
  /** Those that do not wait for data to arrive. */
  working(): number;
  /** Those without a verified key. */
  keyless(): number;
  /** The party that has most in flight and fits, if it has more than this one. */
  largerParty(party: string, fits: (other: string) => boolean): string | null;
  networkOf(request: FastifyRequest): string;
  /** Begins or ends a wait for data. */
  pause(request: InFlightRequest | null, isPaused: boolean): void;
  readonly caps: ClientCaps;
  /** The cap that leaves no slot for another request of the client; null if it has one. */
  reachedCap(request: FastifyRequest): ReachedCap | null;
  enter(request: FastifyRequest, reply: FastifyReply): InFlightRequest;
  /** Releases the slot when the request ends, or immediately if it has ended. */
  hold(request: InFlightRequest | null, slot: Releasable): void;
  /** Counts the request against its key instead of its network. */
  verified(request: InFlightRequest | null, keyId: string): void;
  end(request: InFlightRequest): void;
  /** Runs work that belongs to a request, for `leftMs`. */
  within(request: InFlightRequest | null, work: () => void): void;
  /** Milliseconds left to the request of the current work; null outside of requests. */
  leftMs(): number | null;
  /** Closes every connection after its in-flight responses. */
  closeConnections(): void;
  stop(): void;
}

interface InFlightOptions {
  /** From the arrival of a request's head to its response (default: half a second less than the deadline). */
  readonly deadlineMs?: number | undefined;
  readonly caps?: ClientCaps | undefined;
  /** Default: with the default limits. */
  readonly connections?: Connections | undefined;
}

/** Half a second before the deadline, so that the response arrives in time. */
const DEADLINE_MS = 14_500;
/** The `handlerTimeout` of routes that pass on the signal of their request: their work ends before the deadline's response. */
export const SIGNAL_MS = 14_000;
/** After the deadline's response, until its connection is destroyed. */
const LAST_MS = 500;
const CHECKS_PER_DEADLINE = 100;
const MAX_CHECK_MS = 100;

/**
 * Keeps all in-flight requests, so that one timer checks all deadlines. A request ends with its response or its connection:
 * a pipelined request on a broken connection has no event of its own.
 */
export function openInFlight({
  deadlineMs = DEADLINE_MS,
  caps = DEFAULT_CLIENT_CAPS,
  connections = openConnections(),
}: InFlightOptions = {}): InFlightRequests {
  // Unordered, and no set: V8 copies a set whose members come and go, and the copies keep ended requests from the young
  // collector.
  const requests: InFlightRequest[] = [];
  let isClosing = false;
  /** In-flight requests by key, or by network without a verified key. */
  const byParty = new Map<string, number>();
  let paused = 0;
  let keyless = 0;
  const current = new AsyncLocalStorage<InFlightRequest>();

  connections.onClosed((connection) => {
    if (connection.inFlight === 0) return;
    for (const request of requests.filter((one) => one.connection === connection)) end(request);
  });

  function end(request: InFlightRequest): void {
    if (!request.isInFlight) return;
    pause(request, false);
    request.isInFlight = false;
    connections.end(request.connection);
    remove(requests, request);
    countFor(request, null);
    request.slot?.release();
    request.onEnd?.();
  }

  function countFor(request: InFlightRequest, party: string | null): void {
    const left = request.party === null ? 0 : (byParty.get(request.party) ?? 0) - 1;
    if (request.party !== null && left > 0) byParty.set(request.party, left);
    else if (request.party !== null) byParty.delete(request.party);
    if (party !== null) byParty.set(party, (byParty.get(party) ?? 0) + 1);
    request.party = party;
    if (request.isKeyless) keyless--;
    request.isKeyless = false;
  }

  function pause(request: InFlightRequest | null, isPaused: boolean): void {
    if (request === null || request.isPaused === isPaused || !request.isInFlight) return;
    request.isPaused = isPaused;
    paused += isPaused ? 1 : -1;
  }

  function check(): void {
    const now = performance.now();
    for (const request of requests.filter(({ arrivedAt }) => arrivedAt <= now - deadlineMs)) {
      if (!request.isOverdue) expire(request);
      // The client has not read its response, or one before it: a pipelined response has no socket until its turn.
      if (request.arrivedAt <= now - deadlineMs - LAST_MS) request.reply.request.raw.socket.destroy();
    }
  }

  const everyMs = Math.min(MAX_CHECK_MS, Math.ceil(deadlineMs / CHECKS_PER_DEADLINE));
  const timer = setInterval(check, everyMs);
  timer.unref();

  return {
    connections,
    count: () => requests.length,
    working: () => requests.length - paused,
    keyless: () => keyless,
    largerParty(party, fits) {
      let most = (byParty.get(party) ?? 0) + 1;
      let larger: string | null = null;
      for (const [other, count] of byParty) {
        if (count <= most || !fits(other)) continue;
        most = count;
        larger = other;
      }
      return larger;
    },
    networkOf: (request) => connections.of(request).network,
    pause,
    caps,
    reachedCap(request) {
      const { inFlight, isKeyed, network } = connections.of(request);
      if (inFlight >= caps.perConnection) return 'perConnection';
      return !isKeyed && (byParty.get(network) ?? 0) >= caps.perAddress ? 'perAddress' : null;
    },
    enter(entering, reply) {
      const connection = connections.of(entering);
      // Only the last response of a connection may close it.
      if (isClosing && connection.inFlight > 0)
        announceEnd(requests, (request) => request.connection === connection, false);
      connections.begin(connection);
      const request: InFlightRequest = {
        reply,
        connection,
        arrivedAt: performance.now(),
        party: null,
        isKeyless: false,
        isPaused: false,
        onEnd: null,
        slot: null,
        isInFlight: true,
        isOverdue: false,
        index: requests.length,
      };
      requests.push(request);
      if (!connection.isKeyed) {
        countFor(request, connection.network);
        request.isKeyless = true;
        keyless++;
      }
      return request;
    },
    hold(request, slot) {
      if (request?.isInFlight) request.slot = slot;
      else slot.release();
    },
    verified(request, keyId) {
      if (!request?.isInFlight) return;
      request.connection.isKeyed = true;
      countFor(request, keyId);
    },
    end,
    within(request, work) {
      if (request === null) work();
      else current.run(request, work);
    },
    leftMs() {
      const request = current.getStore();
      return request === undefined ? null : request.arrivedAt + deadlineMs - performance.now();
    },
    closeConnections() {
      isClosing = true;
      announceEnd(requests, () => true, true);
    },
    stop() {
      clearInterval(timer);
      connections.stop();
    },
  };
}

/** The last request moves to the index of the removed one. */
function remove(requests: InFlightRequest[], { index }: InFlightRequest): void {
  const last = requests.pop();
  if (last === undefined || last.index === index) return;
  requests[index] = last;
  last.index = index;
}

/** Announces the end of the connection on responses that have not begun, or revokes it. */
function announceEnd(
  requests: Iterable<InFlightRequest>,
  isAffected: (request: InFlightRequest) => boolean,
  isEnd: boolean,
): void {
  for (const request of requests) {
    const { raw } = request.reply;
    if (!isAffected(request) || raw.headersSent) continue;
    if (isEnd) raw.setHeader('connection', 'close');
    else raw.removeHeader('connection');
  }
}

/** Responds to an overdue request; a response that is still being written is cut off. */
function expire(request: InFlightRequest): void {
  const { reply } = request;
  request.isOverdue = true;
  if (reply.sent) return;
  if (reply.raw.headersSent) reply.raw.destroy();
  else reply.send(new ApiError('deadline_exceeded'));
}
