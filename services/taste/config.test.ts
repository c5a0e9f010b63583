import { expect, it } from 'vitest';
import { readTasteConfig } from './config.ts';

const needed = {
  DATABASE_URL: 'postgres://linernotes@127.0.0.1/linernotes',
  TASTE_SECRET: 'a secret of the tests, of 32 bytes',
};

it('needs a database and a secret, and has a default for the rest', () => {
  expect(readTasteConfig(needed)).toEqual({
    ...needed,
    DATABASE_POOL_SIZE: 10,
    TASTE_PORT: 8_081,
    TASTE_HOST: '127.0.0.1',
    TASTE_RATE_LIMIT_PER_MINUTE: 600,
    TASTE_CONSENTS_PER_MINUTE: 10,
    MAX_CONNECTIONS: 5_000,
    KEEP_ALIVE_MS: 72_000,
    KEYLESS_KEEP_ALIVE_MS: 10_000,
    MIN_RESPONSE_BYTES_PER_SECOND: 1_000,
    OPS_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
  });
});

it.each([
  ['TASTE_SECRET', { TASTE_SECRET: '' }],
  ['TASTE_SECRET', { TASTE_SECRET: 'too short' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://127.0.0.1' }],
  ['TASTE_PORT', { TASTE_PORT: '70000' }],
  ['TASTE_URL', { TASTE_URL: 'https://taste.example/below' }],
  ['TASTE_URL', { TASTE_URL: 'https://user@taste.example' }],
  ['TASTE_CONSENTS_PER_MINUTE', { TASTE_CONSENTS_PER_MINUTE: '0' }],
  ['TASTE_RATE_LIMIT_PER_MINUTE', { TASTE_RATE_LIMIT_PER_MINUTE: '0' }],
])('does not start with an invalid %s', (name, wrong) => {
  expect(() => readTasteConfig({ ...needed, ...wrong })).toThrow(name);
});
