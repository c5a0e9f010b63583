import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ServicesReporter } from './support/services/services-used.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const outside = ['**/{node_modules,.git,.cache,.linernotes}/**'];

export default defineConfig({
  test: {
    root,
    retry: 0,
    reporters: ['default', new ServicesReporter()],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    // A wait that runs out fails with the last value it saw; a busy machine may take long.
    expect: { poll: { interval: 20, timeout: 30_000 } },
    // The groups run one after the other, so that at most two workers are busy at a time.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [
            ...outside,
            '**/*.pg.test.ts',
            '**/*.e2e.test.ts',
            '**/*.debezium.test.ts',
            '**/*.opensearch.test.ts',
          ],
          maxWorkers: 2,
          // Pure functions leave nothing behind that the next file would have to be kept from.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'pg',
          include: ['**/*.pg.test.ts'],
          exclude: outside,
          globalSetup: 'test/support/services/setup-pg.ts',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['**/*.e2e.test.ts'],
          exclude: outside,
          globalSetup: 'test/support/services/setup-e2e.ts',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'debezium',
          include: ['test/debezium/*.debezium.test.ts'],
          // Random transactions take hours; the command for them says how many seeds to play.
          exclude: process.env.SEEDS === undefined ? ['test/debezium/seeds.debezium.test.ts'] : outside,
          // They wait for their servers most of the time.
          maxWorkers: 2,
          hookTimeout: 600_000,
          testTimeout: 600_000,
          expect: { poll: { interval: 50, timeout: 180_000 } },
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'opensearch',
          include: ['**/*.opensearch.test.ts'],
          // Losing nodes takes long; the command for it runs everything.
          exclude: process.env.OPENSEARCH === undefined ? [...outside, 'workers/**'] : outside,
          globalSetup: 'test/support/services/setup-pg.ts',
          maxWorkers: 2,
          hookTimeout: 300_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
