import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Contract } from './contract/contract.ts';

/** What the taste service is built from. */
export interface TasteParts {
  /** On the database itself, never on a replica: what was just consented to, claimed or revoked holds at once. */
  readonly pool: Pool;
  readonly contract: Contract;
  /** Everything that is signed or derived hangs on it. */
  readonly secret: string;
  /** Whether browsers reach the service by HTTPS. */
  readonly isSecure: boolean;
  /** Proxies whose X-Forwarded-For is believed: addresses or subnets separated by commas; false for none. */
  readonly trustProxy: string | false;
  /** Requests that one network may make. */
  readonly requestsPerMinute: number;
  /** Consents that one network may give. */
  readonly consentsPerMinute: number;
  /** Where requests are counted; null where nobody asks. */
  readonly metrics: Registry | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}
