import { expect, it } from 'vitest';
import { arrivalOf, modelOf, readConfig, v1Of } from './config.ts';

const DATABASE_URL = 'postgres://linernotes@db/linernotes';

it('fills in what is not said, a blank included', () => {
  expect(readConfig({ DATABASE_URL, DATABASE_READ_URL: '', PORT: ' ', OTHER: 'x' })).toEqual({
    DATABASE_URL,
    DATABASE_POOL_SIZE: 10,
    DATABASE_POOL_QUEUE: 500,
    PORT: 8080,
    HOST: '127.0.0.1',
    HEADERS_TIMEOUT_MS: 5_000,
    REQUEST_TIMEOUT_MS: 10_000,
    RATE_LIMIT_PER_MINUTE: 60_000,
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: 600,
    RATE_LIMIT_AT_ONCE: 500,
    MAX_REQUESTS_UNDER_WAY: 1_000,
    MAX_EVENT_LOOP_DELAY_MS: 200,
    LOG_LEVEL: 'info',
    OPS_HOST: '127.0.0.1',
  });
});

it('reads numbers as numbers', () => {
  expect(readConfig({ DATABASE_URL, PORT: '9000', RATE_LIMIT_PER_MINUTE: '5' })).toMatchObject({
    PORT: 9000,
    RATE_LIMIT_PER_MINUTE: 5,
  });
});

it('names every variable at fault at once, and not its value', () => {
  const wrong = {
    DATABASE_READ_URL: 'mysql://secret',
    PORT: '70000',
    LOG_LEVEL: 'loud',
    PUBLIC_URL: 'api.example',
    EXPLORER_URL: 'explorer.example',
    REDIS_URL: 'redis.example:6379',
    RATE_LIMIT_AT_ONCE: '0',
    DATABASE_POOL_QUEUE: '-1',
    MAX_REQUESTS_UNDER_WAY: 'many',
    MAX_EVENT_LOOP_DELAY_MS: '1.5',
  };
  const message = (() => {
    try {
      return readConfig(wrong) && 'accepted';
    } catch (error) {
      return String(error);
    }
  })();
  for (const name of ['DATABASE_URL', ...Object.keys(wrong)]) expect(message).toContain(name);
  expect(message).not.toContain('secret');
});

it('shares limits where a Redis is said, by TLS too', () => {
  for (const REDIS_URL of ['redis://redis:6379/2', 'rediss://user:secret@redis:6380'])
    expect(readConfig({ DATABASE_URL, REDIS_URL, REDIS_PREFIX: 'second' })).toMatchObject({
      REDIS_URL,
      REDIS_PREFIX: 'second',
    });
});

it('has a model where both its address and its name are said', () => {
  const given = { DATABASE_URL, NL_BASE_URL: 'https://models.example/v1/', NL_MODEL: 'small' };
  expect(modelOf(readConfig(given))).toEqual({
    baseUrl: 'https://models.example/v1',
    model: 'small',
    apiKey: null,
  });
  expect(modelOf(readConfig({ ...given, NL_API_KEY: 'k' }))?.apiKey).toBe('k');
  expect(modelOf(readConfig({ DATABASE_URL }))).toBeNull();
  for (const half of [
    { NL_BASE_URL: 'https://models.example/v1' },
    { NL_MODEL: 'small' },
    { NL_BASE_URL: 'https://user:secret@models.example/v1', NL_MODEL: 'small' },
  ])
    expect(() => readConfig({ DATABASE_URL, ...half })).toThrow(/NL_/);
});

it('takes no secret that can be guessed', () => {
  expect(readConfig({ DATABASE_URL, BEACON_SECRET: 'x'.repeat(32) }).BEACON_SECRET).toHaveLength(32);
  expect(() => readConfig({ DATABASE_URL, BEACON_SECRET: 'x'.repeat(31) })).toThrow(/BEACON_SECRET/);
});

it('passes version 1 on where it is said to be, with the days of its end', () => {
  expect(v1Of(readConfig({ DATABASE_URL }))).toBeNull();
  const given = { DATABASE_URL, V1_UPSTREAM_URL: 'http://v1.example:8081/' };
  expect(v1Of(readConfig(given))).toEqual({
    upstreamUrl: 'http://v1.example:8081',
    deprecatedAt: new Date('2026-11-01T00:00:00Z'),
    sunsetAt: new Date('2027-11-01T00:00:00Z'),
  });
  const days = { V1_DEPRECATED_ON: '2026-12-24', V1_SUNSET_ON: '2028-02-29' };
  expect(v1Of(readConfig({ ...given, ...days }))).toMatchObject({
    deprecatedAt: new Date('2026-12-24T00:00:00Z'),
    sunsetAt: new Date('2028-02-29T00:00:00Z'),
  });
  expect(() => readConfig({ ...given, V1_SUNSET_ON: '2028-13-01' })).toThrow(/V1_SUNSET_ON/);
  expect(() => readConfig({ ...given, V1_UPSTREAM_URL: 'http://a:secret@v1.example' })).toThrow(
    /V1_UPSTREAM_URL/,
  );
});

it('gives headers no longer than the request that they are a part of', () => {
  const given = { DATABASE_URL, HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '300' };
  expect(arrivalOf(readConfig(given))).toEqual({ headersMs: 200, requestMs: 300 });
  expect(() => arrivalOf(readConfig({ ...given, REQUEST_TIMEOUT_MS: '100' }))).toThrow(/HEADERS_TIMEOUT_MS/);
  expect(() => readConfig({ ...given, HEADERS_TIMEOUT_MS: '0' })).toThrow(/HEADERS_TIMEOUT_MS/);
});
