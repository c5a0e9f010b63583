import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const DATABASE_URL = 'postgres://linernotes@127.0.0.1:1/linernotes';
const DAY = 'must be a day written YYYY-MM-DD';

/** The settings of a process that it rejects, and the lines that it prints. */
const CASES: readonly (readonly [entry: string, env: Record<string, string>, lines: readonly string[]])[] = [
  [
    'services/query/main.ts',
    {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_AT_ONCE: '0',
      REDIS_URL: 'redis.example',
      V1_SUNSET_ON: '2027-02-31',
      BEACON_SECRET: 'short',
      NL_MODEL: 'small',
    },
    [
      'setting DATABASE_URL is missing',
      'setting PORT must be at most 65535',
      'setting RATE_LIMIT_AT_ONCE must be at least 1; it was renamed: use RATE_LIMIT_CONCURRENCY',
      'setting REDIS_URL must look like redis://host:6379',
      'setting BEACON_SECRET must have at least 32 characters',
      `setting V1_SUNSET_ON ${DAY}`,
      'setting LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'setting NL_BASE_URL is missing: NL_MODEL needs it',
    ],
  ],
  ['services/query/main.ts', { DATABASE_URL, AS_OF: '2019-13-40' }, [`setting AS_OF ${DAY}`]],
  [
    'services/query/main.ts',
    { DATABASE_URL, HEADERS_TIMEOUT_MS: '99999' },
    ['setting HEADERS_TIMEOUT_MS must be at most REQUEST_TIMEOUT_MS (10000)'],
  ],
  [
    'services/taste/main.ts',
    { DATABASE_URL, TASTE_SECRET: 'short' },
    ['setting TASTE_SECRET must have at least 32 characters'],
  ],
  [
    'services/taste/main.ts',
    { DATABASE_URL, TASTE_SECRET: 'x'.repeat(32), TASTE_CONTRACT: '/none.json' },
    ["the contract cannot be read: ENOENT: no such file or directory, open '/none.json'"],
  ],
  [
    'workers/ingest/main.ts',
    { DATABASE_URL, KAFKA_TLS: 'maybe', OPS_PORT: '1.5' },
    [
      'setting KAFKA_BROKERS is missing',
      'setting KAFKA_TLS must be true or false',
      'setting OPS_PORT must be a whole number',
    ],
  ],
  [
    'workers/project/main.ts',
    { DATABASE_URL, REBUILD: 'never' },
    ['setting REBUILD must be one of promote, build, off'],
  ],
  ['workers/jobs/main.ts', { DATABASE_URL, AS_OF: '2019-13-40' }, [`setting AS_OF ${DAY}`]],
  [
    'workers/jobs/main.ts',
    { DATABASE_URL, TASTE_CATALOG_URL: 'x' },
    [
      'setting TASTE_CATALOG_URL is not an http or https URL without a username and password',
      'setting TASTE_CONTACT is missing or malformed: a web or e-mail address where services reach you',
    ],
  ],
  ['infra/ops/main.ts', { REDIS_URL: 'x' }, ['setting REDIS_URL must look like redis://host:6379']],
  ['infra/start/main.ts', { PORT: '0' }, ['linernotes cannot start: setting PORT must be at least 1']],
];

it.concurrent.each(CASES)('%s prints a line for each of %j and exits with 1', async (entry, env, lines) => {
  const args = entry.includes('ops') ? ['jobs', 'list'] : [];
  const ended = promisify(execFile)(process.execPath, [rootOf(entry), ...args], {
    // Without the settings of this process.
    env: { PATH: process.env.PATH, ...env },
    timeout: 60_000,
  });
  const { code, stderr } = await ended.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(stderr.trimEnd().split('\n').toSorted()).toEqual(lines.toSorted());
  expect(code).toBe(1);
});

const rootOf = (entry: string): string => fileURLToPath(new URL(`../../${entry}`, import.meta.url));
