import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

const DATABASE_URL = 'postgres://linernotes@db/linernotes';

it('fills in what is not said, a blank included', () => {
  expect(readConfig({ DATABASE_URL, DATABASE_READ_URL: '', PORT: ' ', OTHER: 'x' })).toEqual({
    DATABASE_URL,
    DATABASE_POOL_SIZE: 10,
    PORT: 8080,
    HOST: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: 60_000,
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: 600,
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
  };
  const message = (() => {
    try {
      return readConfig(wrong) && 'accepted';
    } catch (error) {
      return String(error);
    }
  })();
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL', 'PORT', 'LOG_LEVEL', 'PUBLIC_URL'])
    expect(message).toContain(name);
  expect(message).not.toContain('secret');
});
