import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const { projects: _, ...shared } = base.test ?? {};

/** A command of its own: the servers of these tests take as long to start as most other tests run. */
export default defineConfig({
  test: {
    ...shared,
    projects: [
      {
        extends: true,
        test: {
          name: 'debezium',
          include: ['test/debezium/*.debezium.test.ts'],
          maxWorkers: 1,
          hookTimeout: 600_000,
          testTimeout: 600_000,
          expect: { poll: { interval: 50, timeout: 180_000 } },
        },
      },
    ],
  },
});
