import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { Releasable } from './rate-limits.ts';

/** A request under way. */
export interface Flight {
  readonly reply: FastifyReply;
  readonly connection: Connection;
  /** Milliseconds, by a clock that is never set. */
  readonly arrivedAt: number;
  place: Releasable | null;
  isUnderWay: boolean;
  isOverdue: boolean;
  /** Where it is among those under way. */
  index: number;
}

interface Connection {
  /** Requests under way on it. */
  underWay: number;
}

/** Every request under way in a process: how many there are, and when the time of each is up. */
export interface Flights {
  count(): number;
  enter(request: FastifyRequest, reply: FastifyReply): Flight;
  /** Gives the place back when the request ends, which it may have done. */
  hold(flight: Flight | null, place: Releasable): void;
  end(flight: Flight): void;
  /** Does something in the name of a request. */
  within(flight: Flight | null, work: () => void): void;
  /** Milliseconds that are left to the request in whose name something is done; null where it is in nobody's. */
  leftMs(): number | null;
  /** Has every connection closed with the answers that are under way. */
  closeConnections(): void;
  stop(): void;
}

interface FlightsOptions {
  /** From the arrival of a request's head to its answer; half a second less than the deadline unless given. */
  readonly deadlineMs?: number | undefined;
}

/** Half a second before the deadline, so that the answer arrives by it. */
const DEADLINE_MS = 14_500;
/**
 * For the `handlerTimeout` of routes that pass the signal of their request on: what waits for it ends before the answer is
 * given without it.
 */
export const SIGNAL_MS = 14_000;
const CHECKS_PER_DEADLINE = 100;
const LONGEST_BETWEEN_CHECKS_MS = 100;

/**
 * Keeps all requests under way, so that one timer sees whose time is up. A request ends with its answer, or with its
 * connection: one that waits behind others on it ends without a word of its own.
 */
export function openFlights({ deadlineMs = DEADLINE_MS }: FlightsOptions = {}): Flights {
  // Without order. A set is copied time and again where members come and go, and each copy keeps all that the one before
  // it held from the collector, for as long as that one is in its old generation.
  const underWay: Flight[] = [];
  let isClosing = false;
  const connections = new WeakMap<Socket, Connection>();
  const inNameOf = new AsyncLocalStorage<Flight>();

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = { underWay: 0 };
    connections.set(socket, connection);
    socket.once('close', () => {
      if (connection.underWay === 0) return;
      for (const flight of underWay.filter((one) => one.connection === connection)) end(flight);
    });
    return connection;
  }

  function end(flight: Flight): void {
    if (!flight.isUnderWay) return;
    flight.isUnderWay = false;
    flight.connection.underWay--;
    takeOut(underWay, flight);
    flight.place?.release();
  }

  function check(): void {
    const latest = performance.now() - deadlineMs;
    for (const flight of underWay.filter(({ arrivedAt, isOverdue }) => arrivedAt <= latest && !isOverdue))
      giveUp(flight);
  }

  const everyMs = Math.min(LONGEST_BETWEEN_CHECKS_MS, Math.ceil(deadlineMs / CHECKS_PER_DEADLINE));
  const timer = setInterval(check, everyMs);
  timer.unref();

  return {
    count: () => underWay.length,
    enter({ socket }, reply) {
      const connection = connectionOf(socket);
      // Only the last answer on a connection may end it.
      if (isClosing && connection.underWay > 0)
        announceEnd(underWay, (flight) => flight.connection === connection, false);
      connection.underWay++;
      const flight: Flight = {
        reply,
        connection,
        arrivedAt: performance.now(),
        place: null,
        isUnderWay: true,
        isOverdue: false,
        index: underWay.length,
      };
      underWay.push(flight);
      return flight;
    },
    hold(flight, place) {
      if (flight?.isUnderWay) flight.place = place;
      else place.release();
    },
    end,
    within(flight, work) {
      if (flight === null) work();
      else inNameOf.run(flight, work);
    },
    leftMs() {
      const flight = inNameOf.getStore();
      return flight === undefined ? null : flight.arrivedAt + deadlineMs - performance.now();
    },
    closeConnections() {
      isClosing = true;
      announceEnd(underWay, () => true, true);
    },
    stop: () => clearInterval(timer),
  };
}

/** The last takes its place. */
function takeOut(flights: Flight[], { index }: Flight): void {
  const last = flights.pop();
  if (last === undefined || last.index === index) return;
  flights[index] = last;
  last.index = index;
}

/** Says on answers that have not begun that the connection ends with them, or takes it back. */
function announceEnd(flights: Iterable<Flight>, isMeant: (flight: Flight) => boolean, isEnd: boolean): void {
  for (const flight of flights) {
    const { raw } = flight.reply;
    if (!isMeant(flight) || raw.headersSent) continue;
    if (isEnd) raw.setHeader('connection', 'close');
    else raw.removeHeader('connection');
  }
}

/** Answers for a request whose time is up; an answer that has begun ends in the middle. */
function giveUp(flight: Flight): void {
  const { reply } = flight;
  flight.isOverdue = true;
  if (reply.sent) return;
  if (reply.raw.headersSent) reply.raw.destroy();
  else reply.send(new ApiError('deadline_exceeded'));
}
