import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type {
  FreshnessReport,
  ProjectionFreshness,
  SourceFreshness,
} from '../../../projections/freshness/freshness-report.ts';
import { readFreshness } from '../../../projections/freshness/read-freshness.ts';
import { shareFor } from '../../../projections/observe/share-for.ts';
import { isoSecond } from '../../../projections/provenance.ts';
import { ErrorBody } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { NoQuery } from '../schemas/no-query.ts';
import { StatusBody } from '../schemas/status.ts';

const SHARED_MS = 1_000;

/** How current the service is, for everybody. */
export const statusRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const freshness = shareFor(SHARED_MS, () => readFreshness(parts.watchPool, parts.now()), parts.now);
  app.get(
    '/status',
    {
      config: { isPublic: true, hasNoEtag: true },
      schema: {
        operationId: 'getStatus',
        summary: 'How current every source and every read model is',
        tags: ['operation'],
        querystring: NoQuery,
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
  refresh_cadence: source.cadence,
  as_of: instant(source.asOf),
  changed_at: instant(source.changedAt),
  heartbeat_at: instant(source.heartbeatAt),
  warn_after_seconds: source.warnSeconds,
  error_after_seconds: source.errorSeconds,
  lag_seconds: { ...source.lagSeconds },
});
