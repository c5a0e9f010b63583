import type { Socket } from 'node:net';
import { networkOf } from './client-network.ts';
import { type OutputWatch, watchOutput } from './output.ts';

/** What clients may do with the open connections of a process. */
export interface ConnectionLimits {
  /** Open connections. For one more, an idle connection is closed. */
  readonly most: number;
  /** How long a connection of a known client may be idle between requests. */
  readonly keepAliveMs: number;
  /** The same for a connection without a verified key. */
  readonly keylessKeepAliveMs: number;
  /** A connection that reads its responses more slowly is closed. */
  readonly minBytesPerSecond: number;
  /** How long it may read below the minimum throughput. */
  readonly stallMs: number;
  /** Requests that one connection may pipeline into one turn of the event loop. */
  readonly perTurn: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  most: 5_000,
  // Longer than proxies usually keep their connections to a service, so that none is closed under a request.
  keepAliveMs: 72_000,
  keylessKeepAliveMs: 10_000,
  minBytesPerSecond: 1_000,
  stallMs: 5_000,
  perTurn: 32,
};

export interface Connection {
  readonly socket: Socket;
  readonly output: OutputWatch;
  inFlight: number;
  /** Whether one of its requests had a valid key: its next ones wait for another verification together. */
  isKeyed: boolean;
  /** Whether a trusted proxy opened it, for any number of clients. */
  isProxied: boolean;
  /** The address of its latest request, and the network of that address. */
  ip: string;
  network: string;
  /** The latest turn of the event loop in which requests of it arrived, and how many. */
  turn: number;
  arrivedInTurn: number;
  /** When its latest request arrived or ended, or it was opened; by a clock that is never set. */
  usedAt: number;
}

/** Why a service closes a connection. */
type ClosingReason = 'unread' | 'idle' | 'room' | 'pipelined';

/** The open connections of a process. */
export interface Connections {
  readonly limits: ConnectionLimits;
  /** Adds a new connection, and closes an idle one if there are too many. */
  add(socket: Socket): void;
  /** The connection of a request; that of an injected request is not among the open ones. */
  of(request: { readonly socket: Socket; readonly ip: string }): Connection;
  /**
   * Whether a request that arrives may be looked at: `last` if it is the first one too many of its turn, so that the connection
   * has to end with its response, and `no` for all after it.
   */
  admits(socket: Socket): 'yes' | 'last' | 'no';
  /** Counts a request of the connection. */
  begin(connection: Connection): void;
  end(connection: Connection): void;
  count(): number;
  /** Connections that the service closed. */
  closed(reason: ClosingReason): number;
  onClosed(listener: (connection: Connection) => void): void;
  stop(): void;
}

const CHECKS_PER_LIMIT = 50;
const MAX_CHECK_MS = 100;
/** Each search for idle connections finds so many, because it looks at all of them. */
const EVICTIONS_PER_SEARCH = 100;

/** Closes connections that hold memory for clients that do not use them. One timer checks all. */
export function openConnections(changed: Partial<ConnectionLimits> = {}): Connections {
  const limits = { ...DEFAULT_CONNECTION_LIMITS, ...changed };
  const { most, keepAliveMs, keylessKeepAliveMs, minBytesPerSecond, stallMs, perTurn } = limits;
  const minOutput = { minBytes: (minBytesPerSecond * stallMs) / 1_000, stallMs };
  const bySocket = new WeakMap<Socket, Connection>();
  const open = new Set<Connection>();
  const closed = { unread: 0, idle: 0, room: 0, pipelined: 0 };
  let turn = 0;
  let isTurnSeen = false;
  const listeners: ((connection: Connection) => void)[] = [];
  /** The next connections to close for room, the first one last; some may have been used since. */
  let evictable: { readonly connection: Connection; readonly usedAt: number }[] = [];

  function follow(socket: Socket): Connection {
    const ip = socket.remoteAddress ?? '';
    const connection: Connection = {
      socket,
      output: watchOutput(socket, minOutput),
      inFlight: 0,
      isKeyed: false,
      isProxied: false,
      ip,
      network: networkOf(ip),
      turn: -1,
      arrivedInTurn: 0,
      usedAt: performance.now(),
    };
    bySocket.set(socket, connection);
    socket.once('close', () => {
      open.delete(connection);
      for (const listener of listeners) listener(connection);
    });
    return connection;
  }

  function close(connection: Connection, reason: ClosingReason): void {
    closed[reason]++;
    // Its event comes later, and room is needed now.
    open.delete(connection);
    connection.socket.destroy();
  }

  function endTurn(): void {
    turn++;
    isTurnSeen = false;
  }

  function nextIdle(): Connection | undefined {
    const isUnused = ({ connection, usedAt }: (typeof evictable)[number]) =>
      open.has(connection) && connection.inFlight === 0 && connection.usedAt === usedAt;
    const next = evictable.pop();
    if (next !== undefined) return isUnused(next) ? next.connection : nextIdle();
    evictable = findIdle(open).map((connection) => ({
      connection,
      usedAt: connection.usedAt,
    }));
    return evictable.pop()?.connection;
  }

  function check(): void {
    const now = performance.now();
    for (const connection of open) {
      const idleMs = connection.isKeyed || connection.isProxied ? keepAliveMs : keylessKeepAliveMs;
      if (connection.output.isStalled(now)) close(connection, 'unread');
      else if (connection.inFlight === 0 && now - connection.usedAt >= idleMs) close(connection, 'idle');
    }
  }

  const shortest = Math.min(stallMs, keepAliveMs, keylessKeepAliveMs);
  const timer = setInterval(check, Math.min(MAX_CHECK_MS, Math.ceil(shortest / CHECKS_PER_LIMIT)));
  timer.unref();

  return {
    limits,
    add(socket) {
      const connection = follow(socket);
      open.add(connection);
      if (open.size > most) close(nextIdle() ?? connection, 'room');
    },
    of({ socket, ip }) {
      const connection = bySocket.get(socket) ?? follow(socket);
      if (connection.ip !== ip) Object.assign(connection, { ip, network: networkOf(ip), isProxied: true });
      return connection;
    },
    admits(socket) {
      const connection = bySocket.get(socket);
      if (connection === undefined) return 'yes';
      if (!isTurnSeen) {
        isTurnSeen = true;
        setImmediate(endTurn);
      }
      if (connection.arrivedInTurn > perTurn) return 'no';
      if (connection.turn !== turn) Object.assign(connection, { turn, arrivedInTurn: 0 });
      connection.arrivedInTurn++;
      if (connection.arrivedInTurn <= perTurn) return 'yes';
      closed.pipelined++;
      return 'last';
    },
    begin(connection) {
      connection.inFlight++;
      connection.usedAt = performance.now();
    },
    end(connection) {
      connection.inFlight--;
      connection.usedAt = performance.now();
    },
    count: () => open.size,
    closed: (reason) => closed[reason],
    onClosed: (listener) => listeners.push(listener),
    stop: () => clearInterval(timer),
  };
}

/**
 * The idle connections to close first, the first one last: of unknown clients before known ones, then of the network that has
 * most of them, then the longest idle.
 */
function findIdle(connections: Iterable<Connection>): Connection[] {
  const idle = [...connections].filter(({ inFlight }) => inFlight === 0);
  const counts = new Map<string, number>();
  for (const { network } of idle) counts.set(network, (counts.get(network) ?? 0) + 1);
  const isKnown = ({ isKeyed, isProxied }: Connection) => Number(isKeyed || isProxied);
  const ofNetwork = ({ network }: Connection) => counts.get(network) ?? 0;
  return idle
    .sort((a, b) => isKnown(a) - isKnown(b) || ofNetwork(b) - ofNetwork(a) || a.usedAt - b.usedAt)
    .slice(0, EVICTIONS_PER_SEARCH)
    .reverse();
}
