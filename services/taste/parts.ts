import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ArrivalLimits } from '../http/arrival.ts';
import type { ConnectionLimits } from '../http/connections.ts';
import type { LimitStore } from '../http/limits/limit-store.ts';
import type { Contract } from './contract/contract.ts';

/** The parts of the taste service. */
export interface TasteParts {
  /** Of the primary database, never a replica: a consent, exchange or revocation applies immediately. */
  readonly pool: Pool;
  readonly contract: Contract;
  /** The revisions before it, in order. */
  readonly earlierRevisions: readonly Contract[];
  /** Signs forms and derives pseudonyms. */
  readonly secret: string;
  /** The origin of the service in browsers; null for the address that each request is sent to. */
  readonly origin: string | null;
  /** Proxies whose X-Forwarded-For is believed: addresses or subnets separated by commas; false for none. */
  readonly trustProxy: string | false;
  /** Requests that one network may make. */
  readonly requestsPerMinute: number;
  /** Consents that one network may give. */
  readonly consentsPerMinute: number;
  /** Where processes share these limits (default: each process counts by itself). */
  readonly limitStore?: LimitStore | null;
  /** Length of their windows in milliseconds (default: a minute). */
  readonly windowMs?: number;
  /** The metrics of requests; null without a metrics port. */
  readonly metrics: Registry | null;
  /** What differs from the default limits of connections. */
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** Time limits for the arrival of a request. */
  readonly arrival?: ArrivalLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}
