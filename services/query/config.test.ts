import { expect, it } from 'vitest';
import { arrivalOf, configWarnings, modelOf, readQueryConfig, v1Of } from './config.ts';

const DATABASE_URL = 'postgres://linernotes@db/linernotes';

it('uses defaults for unset and blank variables', () => {
  expect(readQueryConfig({ DATABASE_URL, DATABASE_READ_URL: '', PORT: ' ', OTHER: 'x' })).toEqual({
    DATABASE_URL,
    DATABASE_POOL_SIZE: 10,
    SURFACE_POOL_SIZE: 4,
    DATABASE_POOL_QUEUE: 500,
    PORT: 8080,
    HOST: '127.0.0.1',
    HEADERS_TIMEOUT_MS: 5_000,
    REQUEST_TIMEOUT_MS: 10_000,
    RATE_LIMIT_PER_MINUTE: 60_000,
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: 600,
    RATE_LIMIT_CONCURRENCY: 500,
    SEARCH_PREFIX: 'linernotes-search',
    MAX_CONCURRENT_REQUESTS: 1_000,
    MAX_CONCURRENT_WORK: 256,
    MAX_CONCURRENT_REQUESTS_PER_CONNECTION: 32,
    MAX_CONCURRENT_REQUESTS_PER_ADDRESS: 500,
    MAX_CONNECTIONS: 5_000,
    KEEP_ALIVE_MS: 72_000,
    KEYLESS_KEEP_ALIVE_MS: 10_000,
    MIN_RESPONSE_BYTES_PER_SECOND: 1_000,
    MAX_EVENT_LOOP_DELAY_MS: 200,
    LOG_LEVEL: 'info',
    OPS_HOST: '127.0.0.1',
  });
});

it('reads old names, and warns with the new ones', () => {
  const old = { RATE_LIMIT_AT_ONCE: '7', MAX_REQUESTS_UNDER_WAY: '8' };
  const read = { RATE_LIMIT_CONCURRENCY: 7, MAX_CONCURRENT_REQUESTS: 8 };
  expect(readQueryConfig({ DATABASE_URL, ...old })).toMatchObject(read);
  expect(readQueryConfig({ DATABASE_URL, ...old, RATE_LIMIT_CONCURRENCY: '9' }).RATE_LIMIT_CONCURRENCY).toBe(
    9,
  );
  expect(configWarnings({ DATABASE_URL, ...old })).toEqual([
    'the setting RATE_LIMIT_AT_ONCE was renamed: use RATE_LIMIT_CONCURRENCY',
    'the setting MAX_REQUESTS_UNDER_WAY was renamed: use MAX_CONCURRENT_REQUESTS',
  ]);
  expect(configWarnings({ DATABASE_URL })).toEqual([]);
});

it('reads numbers as numbers', () => {
  expect(readQueryConfig({ DATABASE_URL, PORT: '9000', RATE_LIMIT_PER_MINUTE: '5' })).toMatchObject({
    PORT: 9000,
    RATE_LIMIT_PER_MINUTE: 5,
  });
});

it('names all invalid variables, without their values', () => {
  const wrong = {
    DATABASE_READ_URL: 'mysql://secret',
    PORT: '70000',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'api.example',
    EXPLORER_URL: 'explorer.example',
    REDIS_URL: 'redis.example:6379',
    RATE_LIMIT_CONCURRENCY: '0',
    DATABASE_POOL_QUEUE: '-1',
    MAX_CONCURRENT_REQUESTS: 'many',
    MAX_EVENT_LOOP_DELAY_MS: '1.5',
  };
  const message = (() => {
    try {
      return readQueryConfig(wrong) && 'accepted';
    } catch (error) {
      return String(error);
    }
  })();
  for (const name of ['DATABASE_URL', ...Object.keys(wrong)]) expect(message).toContain(name);
  expect(message).not.toContain('secret');
});

it('reads the Redis for shared limits, with or without TLS', () => {
  for (const REDIS_URL of ['redis://redis:6379/2', 'rediss://user:secret@redis:6380'])
    expect(readQueryConfig({ DATABASE_URL, REDIS_URL, REDIS_PREFIX: 'second' })).toMatchObject({
      REDIS_URL,
      REDIS_PREFIX: 'second',
    });
});

it('requires both the address and the name of a language model', () => {
  const given = { DATABASE_URL, NL_BASE_URL: 'https://models.example/v1/', NL_MODEL: 'small' };
  expect(modelOf(readQueryConfig(given))).toEqual({
    baseUrl: 'https://models.example/v1',
    model: 'small',
    apiKey: null,
  });
  expect(modelOf(readQueryConfig({ ...given, NL_API_KEY: 'k' }))?.apiKey).toBe('k');
  expect(modelOf(readQueryConfig({ DATABASE_URL }))).toBeNull();
  for (const half of [
    { NL_BASE_URL: 'https://models.example/v1' },
    { NL_MODEL: 'small' },
    { NL_BASE_URL: 'https://user:secret@models.example/v1', NL_MODEL: 'small' },
  ])
    expect(() => readQueryConfig({ DATABASE_URL, ...half })).toThrow(/NL_/);
});

it('rejects short secrets', () => {
  expect(readQueryConfig({ DATABASE_URL, BEACON_SECRET: 'x'.repeat(32) }).BEACON_SECRET).toHaveLength(32);
  expect(() => readQueryConfig({ DATABASE_URL, BEACON_SECRET: 'x'.repeat(31) })).toThrow(/BEACON_SECRET/);
});

it('reads the service of version 1 and the days of its end', () => {
  expect(v1Of(readQueryConfig({ DATABASE_URL }))).toBeNull();
  const given = { DATABASE_URL, V1_UPSTREAM_URL: 'http://v1.example:8081/' };
  expect(v1Of(readQueryConfig(given))).toEqual({
    upstreamUrl: 'http://v1.example:8081',
    deprecatedAt: new Date('2026-11-01T00:00:00Z'),
    sunsetAt: new Date('2027-11-01T00:00:00Z'),
  });
  const days = { V1_DEPRECATED_ON: '2026-12-24', V1_SUNSET_ON: '2028-02-29' };
  expect(v1Of(readQueryConfig({ ...given, ...days }))).toMatchObject({
    deprecatedAt: new Date('2026-12-24T00:00:00Z'),
    sunsetAt: new Date('2028-02-29T00:00:00Z'),
  });
  expect(() => readQueryConfig({ ...given, V1_SUNSET_ON: '2028-13-01' })).toThrow(/V1_SUNSET_ON/);
  expect(() => readQueryConfig({ ...given, V1_UPSTREAM_URL: 'http://a:secret@v1.example' })).toThrow(
    /V1_UPSTREAM_URL/,
  );
});

it('rejects a longer time for headers than for the whole request', () => {
  const given = { DATABASE_URL, HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '300' };
  expect(arrivalOf(readQueryConfig(given))).toEqual({ headersMs: 200, requestMs: 300 });
  expect(() => arrivalOf(readQueryConfig({ ...given, REQUEST_TIMEOUT_MS: '100' }))).toThrow(
    /HEADERS_TIMEOUT_MS/,
  );
  expect(() => readQueryConfig({ ...given, HEADERS_TIMEOUT_MS: '0' })).toThrow(/HEADERS_TIMEOUT_MS/);
});

it('reads the nodes of a search cluster', () => {
  const SEARCH_URL = 'https://user:secret@one:9200,https://user:secret@two:9200';
  expect(readQueryConfig({ DATABASE_URL, SEARCH_URL }).SEARCH_URL).toBe(SEARCH_URL);
  expect(() => readQueryConfig({ DATABASE_URL, SEARCH_URL: 'one:9200, two' })).toThrow(
    'setting SEARCH_URL must look like https://user:password@host:9200,https://user:password@other:9200',
  );
});
