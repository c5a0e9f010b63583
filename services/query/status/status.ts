import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';
import { ACTIVITIES } from '../../../projections/engine/freshness/activity.ts';
import type {
  FreshnessReport,
  ProjectionFreshness,
  SourceFreshness,
} from '../../../projections/engine/freshness/freshness-report.ts';
import { readFreshness } from '../../../projections/engine/freshness/read-freshness.ts';
import { FRESHNESS_STATES } from '../../../projections/engine/freshness/thresholds.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { projections } from '../../../projections/index.ts';
import { DATABASE_ERRORS } from '../../http/database-errors.ts';
import { ErrorBody } from '../../http/errors.ts';
import type { QueryParts } from '../parts.ts';

const State = Type.Union(FRESHNESS_STATES.map((state) => Type.Literal(state)));
const Instant = orNull(Type.String({ format: 'date-time' }));
const Seconds = orNull(Type.Number());

const SourceStatus = Type.Object({
  source: Type.String(),
  state: State,
  activity: Type.Union(
    ACTIVITIES.map((activity) => Type.Literal(activity)),
    {
      description:
        'quiet: heartbeats arrive but no changes; silent: its connector misses heartbeats; dead: neither arrives.',
    },
  ),
  connector: orNull(
    Type.String({ description: 'Server name of the connector that feeds it; null if none is known.' }),
  ),
  refresh_cadence: Type.String(),
  as_of: Instant,
  changed_at: Instant,
  heartbeat_at: Instant,
  warn_after_seconds: Type.Number(),
  error_after_seconds: Type.Number(),
  lag_seconds: Type.Object(
    { connector: Seconds, kafka: Seconds, apply: Seconds, project: Seconds },
    {
      description:
        'Seconds that changes spend in each stage now; 0 while nothing waits, null if never measured.',
    },
  ),
  peak_lag_seconds: Type.Object(
    { connector: Seconds, kafka: Seconds, apply: Seconds },
    { description: 'The greatest of the last hour; null without a change.' },
  ),
});

const ProjectionStatus = Type.Object({
  projection: Type.String(),
  state: State,
  as_of: Instant,
  warn_after_seconds: Type.Number(),
  error_after_seconds: Type.Number(),
  lag_seconds: Seconds,
  sources: Type.Record(State, Type.Integer(), {
    description: 'Number of its sources in each state.',
  }),
});

export const StatusBody = Type.Object({
  object: Type.Literal('status'),
  state: State,
  generated_at: Type.String({ format: 'date-time' }),
  replica_lag_seconds: Seconds,
  projections: Type.Array(ProjectionStatus),
  sources: Type.Array(SourceStatus),
});

const SHARED_MS = 1_000;

/** Freshness of every source and read model. */
export const statusRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const freshness = memoizeFor(
    SHARED_MS,
    () => readFreshness(parts.watchPool, projections, parts.now()),
    parts.now,
  );
  app.get(
    '/status',
    {
      config: { isPublic: true, hasNoEtag: true, errors: DATABASE_ERRORS },
      schema: {
        operationId: 'getStatus',
        summary: 'Freshness of every source and read model',
        description:
          'Says how fresh each source and read model is, and in which stage changes are late. Works without an API key, within a limit for each address. The report is at most a second old. A lag that was not measured is null.',
        tags: ['operation'],
        response: { 200: StatusBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      const report = await freshness();
      reply.header('cache-control', 'public, max-age=1');
      return statusOf(report);
    },
  );
  done();
};

const statusOf = (report: FreshnessReport) => ({
  object: 'status' as const,
  state: report.state,
  generated_at: isoSecond(report.at.getTime()),
  replica_lag_seconds: report.replicaLagSeconds,
  projections: report.projections.map(projectionStatus),
  sources: report.sources.map(sourceStatus),
});

const instant = (at: Date | null): string | null => (at === null ? null : isoSecond(at.getTime()));

const projectionStatus = (projection: ProjectionFreshness) => ({
  projection: projection.projection,
  state: projection.state,
  as_of: instant(projection.asOf),
  warn_after_seconds: projection.warnSeconds,
  error_after_seconds: projection.errorSeconds,
  lag_seconds: projection.lagSeconds,
  sources: { ...projection.sources },
});

const sourceStatus = (source: SourceFreshness) => ({
  source: source.source,
  state: source.state,
  activity: source.activity,
  connector: source.connector,
  refresh_cadence: source.cadence,
  as_of: instant(source.asOf),
  changed_at: instant(source.changedAt),
  heartbeat_at: instant(source.heartbeatAt),
  warn_after_seconds: source.warnSeconds,
  error_after_seconds: source.errorSeconds,
  lag_seconds: { ...source.lagSeconds },
  peak_lag_seconds: { ...source.peakLagSeconds },
});
