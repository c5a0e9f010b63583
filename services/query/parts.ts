import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Watchdog } from '../../projections/observe/watchdog.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import type { BeaconTokens } from './beacons/tokens.ts';
import type { Interpreter } from './interpret/interpreter.ts';
import type { SearchEngine } from './search/engine.ts';
import type { Flights } from './serving/flights.ts';
import type { LimitStore } from './serving/limits/limit-store.ts';
import type { LoadLimit } from './serving/load-limit.ts';
import type { RateLimitSettings } from './serving/rate-limits.ts';
import type { WindowClock } from './serving/rate-window.ts';
import type { SlidingWindow } from './serving/sliding-window.ts';
import type { Staleness } from './serving/staleness.ts';
import type { V1Settings } from './serving/v1/settings.ts';

/** How long a request may take to arrive, from its first byte. */
export interface ArrivalLimits {
  /** Milliseconds until its headers are there. */
  readonly headersMs: number;
  /** Milliseconds until its body is there too. */
  readonly requestMs: number;
}

/** What the query service is built from. */
export interface QueryParts {
  /** Where read models are read; a replica perhaps. */
  readonly readPool: Pool;
  /** Where keys are verified; never a replica, which would show a revocation late. */
  readonly accessPool: Pool;
  /** For short looks at how the database behind the reads stands, which must not wait behind requests. */
  readonly watchPool: Pool;
  readonly watchdog: Watchdog;
  /** Where requests are counted; null where nobody asks. */
  readonly metrics: Registry | null;
  readonly registry: SourceRegistry;
  readonly staleness: () => Staleness;
  readonly limits: RateLimitSettings;
  /** What limits are shared in; each process counts by itself unless given. */
  readonly limitStore?: LimitStore | null;
  /** The clock of windows; `now` unless given. */
  readonly clock?: WindowClock;
  /** Requests under way; of this app alone unless given. */
  readonly flights?: Flights;
  /** How many requests may be under way; any number unless given. */
  readonly load?: LoadLimit;
  /** Counts previews by network; in the store of the limits, or else in this process, unless given. */
  readonly previewWindow?: SlidingWindow;
  /** Of the beacons that tell what became of searches. */
  readonly beacons: BeaconTokens;
  readonly search: SearchEngine;
  /** Reads searches in plain language. */
  readonly interpreter: Interpreter;
  /** What cursors of surfaces are sealed with; without one, the database keeps one for all processes. */
  readonly cursorSecret?: string | undefined;
  /** Where clients reach the service, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Where people reach the explorer, without a slash at the end; the same as the service unless given. */
  readonly explorerUrl?: string | undefined;
  /** Proxies whose X-Forwarded-For is believed: addresses or subnets separated by commas; false for none. */
  readonly trustProxy: string | false;
  /** 5 seconds for headers and 10 for all of it, unless given. */
  readonly arrival?: ArrivalLimits | undefined;
  /** Where version 1 is still served; nowhere unless given. */
  readonly v1?: V1Settings | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}
