import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { type Backlog, type RecordCounts, readBacklog } from '../../projections/engine/freshness/backlog.ts';
import type { FreshnessReport } from '../../projections/engine/freshness/freshness-report.ts';
import { readFreshness } from '../../projections/engine/freshness/read-freshness.ts';
import { projectionByName, projections } from '../../projections/index.ts';
import {
  FAILURES_OF_SERVICE,
  type ImportBacklog,
  readImportBacklog,
} from '../../projections/models/taste/import-backlog.ts';
import { FILE_GROUPS } from '../../workers/ingest/apply/position.ts';
import { type BlockedSweep, listBlocked } from '../../workers/ingest/sweeps/sweep.ts';
import { HOLD_MS } from '../../workers/project/switch-request.ts';
import { type AddCommand, type Print, source } from './command.ts';
import { withPool } from './database.ts';
import { printImports } from './imports.ts';
import { printTable } from './print-table.ts';
import { printTroubledColumns, readTroubledLines, type TroubledLine } from './troubled-columns.ts';

/** An upstream of imports may fail this long before the status is an error. */
const UPSTREAM_PATIENCE_MS = 3_600_000;

interface ConsumerPosition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
  readonly movedAt: Date;
}

/** Leaves out the positions of loaded and played files: they do not advance. */
async function readPositions(pool: Pool): Promise<ConsumerPosition[]> {
  const { rows } = await pool.query<ConsumerPosition>(
    `select consumer_group as "group", topic, partition, next_offset::float8 as "nextOffset", moved_at as "movedAt"
     from ingest.position where consumer_group <> all($1::text[])
     order by consumer_group, topic, partition`,
    [textArray(FILE_GROUPS)],
  );
  return rows;
}

interface Status {
  readonly state: string;
  readonly at: Date;
  readonly replicaLagSeconds: number | null;
  readonly sources: readonly SourceLine[];
  /** Changed columns that harm rows. */
  readonly columns: readonly TroubledLine[];
  readonly connectors: FreshnessReport['connectors'];
  readonly projections: readonly ProjectionLine[];
  readonly consumers: readonly ConsumerPosition[];
  readonly records: readonly RecordCounts[];
  /** Open dead letters of unknown topics. */
  readonly strayDeadLetters: number;
  /** Sweeps that wait for a decision. */
  readonly sweeps: readonly Pick<BlockedSweep, 'table' | 'endedAt' | 'stored' | 'missing' | 'reason'>[];
  /** Of taste profiles; null if the status is of one source. */
  readonly imports: ImportBacklog | null;
}

type SourceLine = ReturnType<typeof sourceLines>[number];
type ProjectionLine = ReturnType<typeof projectionLines>[number];

const sourceLines = ({ sources }: FreshnessReport, { deadLetters }: Backlog) =>
  sources.map(
    ({
      source,
      state,
      activity,
      connector,
      asOf,
      heartbeatAt,
      lagSeconds,
      peakLagSeconds,
      warnSeconds,
      errorSeconds,
    }) => ({
      source,
      state,
      activity,
      fedBy: connector,
      asOf,
      heartbeatAt,
      ...lagSeconds,
      connectorPeak: peakLagSeconds.connector,
      kafkaPeak: peakLagSeconds.kafka,
      applyPeak: peakLagSeconds.apply,
      warnSeconds,
      errorSeconds,
      deadLetters: deadLetters.get(source) ?? 0,
    }),
  );

const projectionLines = ({ projections }: FreshnessReport, { versions }: Backlog) =>
  projections.map(({ projection, state, asOf, lagSeconds }) => {
    const own = versions.filter((version) => version.projection === projection);
    const idsOf = (wanted: string): string =>
      own.flatMap((version) => (version.state === wanted ? [version.id] : [])).join(' ');
    const next = own.find((version) => version.switchSeconds !== null);
    return {
      projection,
      state,
      asOf,
      live: idsOf('live'),
      previous: idsOf('previous'),
      ready: idsOf('ready'),
      building: idsOf('building'),
      marks: own.find((version) => version.state === 'live')?.marks ?? 0,
      oldestMarkSeconds: lagSeconds,
      switchingTo: next?.id ?? null,
      heldBackSeconds: next === undefined ? null : heldBackSeconds(next.switchSeconds, lagSeconds),
    };
  });

/** How long the oldest change of the live version has waited behind a switch, at most. */
const heldBackSeconds = (switchSeconds: number | null, lagSeconds: number | null): number =>
  Math.min(switchSeconds ?? 0, HOLD_MS / 1_000, lagSeconds ?? 0);

const readsTable = (projection: string, table: string): boolean =>
  projectionByName.get(projection)?.reads.some(({ source }) => source.table === table) === true;

async function readStatus(pool: Pool, table: string | undefined): Promise<Status> {
  const report = await readFreshness(pool, projections, Date.now());
  const backlog = await readBacklog(pool);
  const columns = await readTroubledLines(pool);
  const consumers = await readPositions(pool);
  const sources = sourceLines(report, backlog).filter(
    ({ source }) => table === undefined || source === table,
  );
  return {
    state: report.state,
    at: report.at,
    replicaLagSeconds: report.replicaLagSeconds,
    sources,
    columns: columns.filter(({ source }) => table === undefined || source === table),
    connectors: report.connectors.filter(({ connector }) => sources.some(({ fedBy }) => fedBy === connector)),
    projections: projectionLines(report, backlog).filter(
      ({ projection }) => table === undefined || readsTable(projection, table),
    ),
    consumers: consumers.filter(({ topic }) => table === undefined || topic.endsWith(`.${table}`)),
    records: backlog.records.filter((counts) => table === undefined || counts.source === table),
    strayDeadLetters: backlog.deadLetters.get(null) ?? 0,
    sweeps: (await listBlocked(pool, table === undefined ? undefined : source(table))).map(
      ({ table, endedAt, stored, missing, reason }) => ({ table, endedAt, stored, missing, reason }),
    ),
    imports: table === undefined ? await readImportBacklog(pool) : null,
  };
}

const RECORD_COLUMNS = [
  ...(['group', 'topic', 'partition', 'source'] as const),
  ...(['read', 'applied', 'older', 'equal', 'deadLetters', 'ignored'] as const),
];

function printStatus(print: Print, status: Status): void {
  const {
    sources,
    columns,
    connectors,
    projections,
    consumers,
    records,
    imports,
    replicaLagSeconds,
    strayDeadLetters,
  } = status;
  printTable(
    print,
    [
      'source',
      'state',
      'activity',
      'fedBy',
      'asOf',
      'heartbeatAt',
      'connector',
      'kafka',
      'apply',
      'project',
      'connectorPeak',
      'kafkaPeak',
      'applyPeak',
      'deadLetters',
    ],
    sources,
  );
  if (columns.length > 0) {
    print('');
    printTroubledColumns(print, columns);
  }
  if (connectors.length > 0) {
    print('');
    printTable(print, ['connector', 'state', 'heartbeatAt', 'intervalSeconds', 'sources'], connectors);
  }
  print('');
  printTable(
    print,
    [
      'projection',
      'state',
      'asOf',
      'live',
      'previous',
      'ready',
      'building',
      'marks',
      'oldestMarkSeconds',
      'switchingTo',
      'heldBackSeconds',
    ],
    projections,
  );
  print('');
  printTable(print, ['group', 'topic', 'partition', 'nextOffset', 'movedAt'], consumers);
  if (records.length > 0) {
    print('');
    printTable(print, RECORD_COLUMNS, records);
  }
  if (status.sweeps.length > 0) {
    print('');
    printTable(print, ['table', 'endedAt', 'stored', 'missing', 'reason'], status.sweeps);
  }
  if (strayDeadLetters > 0) print(`\ndead letters of unknown tables\t${strayDeadLetters}`);
  if (imports !== null && imports.imports.length + imports.services.length > 0) {
    print('');
    printImports(print, imports);
  }
  if (replicaLagSeconds !== null) print(`\nreplica lag\t${replicaLagSeconds}`);
}

/** Upstreams whose imports have failed for too long. */
const failingServices = ({ at, imports }: Status): string[] =>
  (imports?.services ?? []).flatMap(({ service, failures, failingSince }) => {
    const failingMs = failingSince === null ? 0 : at.getTime() - failingSince.getTime();
    return failures >= FAILURES_OF_SERVICE && failingMs > UPSTREAM_PATIENCE_MS
      ? [`imports from ${service}`]
      : [];
  });

function requireNoErrors(status: Status): void {
  const { sources, connectors, projections } = status;
  const failing = [
    ...connectors.flatMap(({ connector, state }) => (state === 'dead' ? [`connector ${connector}`] : [])),
    ...sources.flatMap(({ source, state }) => (state === 'error' ? [source] : [])),
    ...projections.flatMap(({ projection, state }) => (state === 'error' ? [projection] : [])),
    ...failingServices(status),
  ];
  if (failing.length > 0) throw new Error(`in error: ${failing.join(', ')}`);
}

export const addStatus: AddCommand = (program, print) =>
  program
    .command('status')
    .description('Show how fresh sources and projections are. Exit code 1 while something is in error.')
    .option('--json', 'print JSON')
    .option('--source <table>', 'only this source and the projections that read it', source)
    .action(async (options) => {
      const status = await withPool((pool) => readStatus(pool, options.source?.table));
      if (options.json) print(JSON.stringify(status, null, 2));
      else printStatus(print, status);
      requireNoErrors(status);
    });
