import { type Static, Type } from '@sinclair/typebox';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from './connections.ts';

/** The settings of the connections of an HTTP service. */
export const connectionSettings = {
  MAX_CONNECTIONS: Type.Integer({
    minimum: 1,
    default: DEFAULT_CONNECTION_LIMITS.most,
    description:
      'Open connections of one process; for a further one, the process closes an idle one, and those without a key first. Keep it above the number of in-flight requests, and below the limit of open files.',
  }),
  KEEP_ALIVE_MS: Type.Integer({
    minimum: 1,
    default: DEFAULT_CONNECTION_LIMITS.keepAliveMs,
    description:
      'How long a connection may be idle between requests, if one of them had a valid key or it comes from a proxy in `TRUST_PROXY`.',
  }),
  KEYLESS_KEEP_ALIVE_MS: Type.Integer({
    minimum: 1,
    default: DEFAULT_CONNECTION_LIMITS.keylessKeepAliveMs,
    description: 'How long any other connection may be idle between requests.',
  }),
  MIN_RESPONSE_BYTES_PER_SECOND: Type.Integer({
    minimum: 1,
    default: DEFAULT_CONNECTION_LIMITS.minBytesPerSecond,
    description: 'A connection that reads its responses more slowly for 5 seconds is closed.',
  }),
};

const ConnectionSettings = Type.Object(connectionSettings);

export const connectionLimitsOf = (config: Static<typeof ConnectionSettings>): Partial<ConnectionLimits> => ({
  most: config.MAX_CONNECTIONS,
  keepAliveMs: config.KEEP_ALIVE_MS,
  keylessKeepAliveMs: config.KEYLESS_KEEP_ALIVE_MS,
  minBytesPerSecond: config.MIN_RESPONSE_BYTES_PER_SECOND,
});
