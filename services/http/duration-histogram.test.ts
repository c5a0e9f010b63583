import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { durationHistogram } from './duration-histogram.ts';

const ABOUT = { name: 'test_seconds', help: 'For a test.', buckets: [0.1, 1] };
const SECONDS = [0, 0.05, 0.1, 0.2, 1, 1.5];

it('shows what the library’s own histogram shows', async () => {
  const [mine, own] = [new Registry(), new Registry()];
  const seriesOf = durationHistogram({ registry: mine, ...ABOUT }, ['route', 'status']);
  const histogram = new Histogram({ ...ABOUT, labelNames: ['route', 'status'], registers: [own] });
  for (const [index, labels] of [
    { route: '/a', status: '200' },
    { route: '/a', status: '404' },
    { route: '/b"\\', status: '200' },
  ].entries()) {
    for (const seconds of SECONDS.slice(index)) {
      // The same series, whoever asks for it.
      seriesOf(labels)(seconds);
      histogram.observe(labels, seconds);
    }
  }
  expect(await mine.metrics()).toBe(await own.metrics());
  const count = 'test_seconds_count{route="/a",status="404"} 5';
  expect(await mine.metrics()).toContain(count);
});

it('shows no series before anything was observed', async () => {
  const registry = new Registry();
  durationHistogram({ registry, ...ABOUT }, ['route']);
  expect(await registry.metrics()).toBe('# HELP test_seconds For a test.\n# TYPE test_seconds histogram\n');
});
