import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { liveDemand } from '../../../projections/contracts/seen/live-demand.ts';
import type { SourceColumn } from '../../../projections/engine/freshness/source-columns.ts';
import { ingestMetrics } from '../metrics.ts';
import { reportColumns } from './report-columns.ts';

beforeEach(() => ingestMetrics.resetMetrics());

const dropped = (name: string): SourceColumn => ({
  name,
  ordinal: 0,
  type: 'JSON number',
  typeBefore: null,
  isReadable: true,
  firstSeenMs: 0,
  droppedMs: 1,
  renamedTo: null,
  failedMs: null,
  clearedMs: null,
  acknowledgedMs: null,
});

it('writes a line a change: an error if rows fail, a warning with the facets, or a note', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'info' },
    new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line)))) }),
  );
  const columns = ['events_tracked', 'avg_fill_fraction', 'note'].map(dropped);
  const changes = columns.map(({ name, type }) => ({
    kind: 'dropped' as const,
    name,
    before: type,
    after: null,
  }));
  reportColumns(log, { source: liveDemand, changes, columns });
  expect(lines).toMatchObject([
    {
      level: 50,
      column: 'events_tracked',
      kind: 'dropped',
      problem: 'failing',
      facets: ['artist.live_demand'],
    },
    { level: 40, column: 'avg_fill_fraction', problem: 'stale', readModels: ['artist'] },
    { level: 30, source: liveDemand.table, column: 'note' },
  ]);
  expect(await ingestMetrics.metrics()).toContain(
    `linernotes_column_changes_total{source="${liveDemand.table}",kind="dropped"} 3`,
  );
});
