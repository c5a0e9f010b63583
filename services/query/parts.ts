import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Watchdog } from '../../infra/runtime/watchdog.ts';
import type { SourceRegistry } from '../../projections/engine/projection.ts';
import type { ArrivalLimits } from '../http/arrival.ts';
import type { InFlightRequests } from '../http/in-flight.ts';
import type { LimitStore } from '../http/limits/limit-store.ts';
import type { SlidingWindow } from '../http/limits/sliding-window.ts';
import type { RateLimitSettings } from '../http/limits/tiers.ts';
import type { WindowClock } from '../http/limits/windows.ts';
import type { LoadLimit } from '../http/load-limit.ts';
import type { Staleness } from './dossier/staleness.ts';
import type { Interpreter } from './plain-language/interpreter.ts';
import type { SearchEngine } from './search/engine.ts';
import type { BeaconTokens } from './search-events/tokens.ts';
import type { V1Settings } from './v1/settings.ts';

/** The parts of the query service. */
export interface QueryParts {
  /** For reads of read models; may be a replica. */
  readonly readPool: Pool;
  /** For the rows of surfaces, whose reads must not slow down dossiers; null if none is configured. */
  readonly surfacePool: Pool | null;
  /** Verifies keys; never a replica, which would show a revocation late. */
  readonly accessPool: Pool;
  /** For short polls of the database behind the reads, which must not wait behind requests. */
  readonly watchPool: Pool;
  readonly watchdog: Watchdog;
  /** The metrics of requests; null without a metrics port. */
  readonly metrics: Registry | null;
  readonly registry: SourceRegistry;
  readonly staleness: () => Staleness;
  readonly limits: RateLimitSettings;
  /** Where processes share their limits (default: each process counts by itself). */
  readonly limitStore?: LimitStore | null;
  /** The clock of windows (default: `now`). */
  readonly clock?: WindowClock;
  /** In-flight requests (default: of this app alone). */
  readonly inFlight?: InFlightRequests;
  /** The limit of in-flight requests (default: none). */
  readonly load?: LoadLimit;
  /** Units of work that run at the same time (default: 256). */
  readonly workCapacity?: number | undefined;
  /** Counts previews by network (default: in the limit store, or else in this process). */
  readonly previewWindow?: SlidingWindow;
  /** Issues and verifies the tokens of beacons, which report on searches. */
  readonly beacons: BeaconTokens;
  readonly search: SearchEngine;
  /** Interprets searches in plain language. */
  readonly interpreter: Interpreter;
  /** Seals the cursors of surfaces (default: a secret in the database, for all processes). */
  readonly cursorSecret?: string | undefined;
  /** URL of the service for clients, without a trailing slash. */
  readonly baseUrl: () => string;
  /** URL of the explorer, without a trailing slash (default: `baseUrl`). */
  readonly explorerUrl?: string | undefined;
  /** Proxies whose X-Forwarded-For is believed: addresses or subnets separated by commas; false for none. */
  readonly trustProxy: string | false;
  /** Default: 5 seconds for the headers, 10 for all of the request. */
  readonly arrival?: ArrivalLimits | undefined;
  /** The upstream of version 1 (default: none). */
  readonly v1?: V1Settings | null;
  /** Called before the routes are registered; tests generate the description of the API from them. */
  readonly observeRoutes?: (app: FastifyInstance) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}
