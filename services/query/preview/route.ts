import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { Teaser } from '../../../projections/models/preview/teaser.ts';
import { networkLevels, networkOf } from '../../http/client-network.ts';
import { DATABASE_ERRORS } from '../../http/database-errors.ts';
import { ApiError, ErrorBody, invalidParameter } from '../../http/errors.ts';
import { sharedSlidingWindow } from '../../http/limits/shared-sliding-window.ts';
import { type SlidingDecision, type SlidingWindow, slidingWindow } from '../../http/limits/sliding-window.ts';
import { networkPolicies } from '../../http/limits/tiers.ts';
import { rateLimited, reportLimits } from '../../http/plugins/rate-limit.ts';
import { GeneratedAt } from '../dossier/envelope-schema.ts';
import type { QueryParts } from '../parts.ts';
import { previewFinder } from './preview.ts';

const PreviewQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Name, slug or cluster id of 64 hex digits. Names are matched whole and case-insensitive.',
    }),
  },
  { additionalProperties: false },
);

export const PreviewBody = Type.Object({
  object: Type.Literal('artist.preview'),
  present: Type.Boolean({ description: 'False if no artist was found.' }),
  ...Teaser.properties,
  note: Type.String({ description: 'Limits of this preview.' }),
  generated_at: GeneratedAt,
});
export type PreviewBody = Static<typeof PreviewBody>;

const HOUR_MS = 3_600_000;
const PER_HOUR = 100;
const KEEP_SECONDS = 60;
const MOST_KEPT = 5_000;
const POLICIES = networkPolicies('preview', PER_HOUR, HOUR_MS);

/** A capped teaser without an API key. Misses are cached like hits. */
export const previewRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const { now } = parts;
  const window = parts.previewWindow ?? windowOf(parts);
  const find = previewFinder(parts.readPool);
  // An entry is stale once it is older than its ttl, so this one lives for the whole max-age and not a millisecond more.
  const ttl = KEEP_SECONDS * 1_000 - 1;
  const kept = new LRUCache<string, PreviewBody>({ max: MOST_KEPT, ttl, ttlResolution: 0, perf: { now } });

  app.get(
    '/api/v2/preview/artist',
    {
      config: {
        isPublic: true,
        isUnlimited: true,
        errors: ['invalid_query', 'preview_unavailable', ...DATABASE_ERRORS],
      },
      onRequest: (request, reply) => countVisit(window, request, reply),
      schema: {
        operationId: 'previewArtist',
        summary: 'Public capped teaser of an artist, by name, slug or cluster id',
        description: `Returns a teaser for exploration, not for products: at most 6 changes of tier, 3 names and a count of press. Names match whole. Without a match, present is false. Responses are kept for a minute. Limited to ${PER_HOUR} requests in any hour from an IPv4 address or an IPv6 /64, ${10 * PER_HOUR} from its /24 or /48, and ${100 * PER_HOUR} from its /16 or /32.`,
        tags: ['preview'],
        querystring: PreviewQuery,
        response: { 200: PreviewBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const name = parseName(request.query.q);
      let preview = kept.get(name);
      if (preview === undefined) {
        preview = { object: 'artist.preview', ...(await find(name)), generated_at: isoSecond(now()) };
        kept.set(name, preview);
      }
      // Private, because the rate-limit headers are those of this client.
      reply.header('cache-control', `private, max-age=${KEEP_SECONDS}`);
      return preview;
    },
  );
  done();
};

function windowOf({ limitStore, now, clock = { steady: now, wall: now } }: QueryParts): SlidingWindow {
  return limitStore
    ? sharedSlidingWindow(limitStore, POLICIES)
    : slidingWindow({ policies: POLICIES, clock });
}

/** Fails closed: requests that cannot be counted are rejected. */
async function countVisit(
  window: SlidingWindow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const networks = networkLevels(networkOf(request.ip));
  let decision: SlidingDecision;
  try {
    decision = await window.take(networks);
  } catch (error) {
    throw new ApiError('preview_unavailable', {}, error);
  }
  const policies = POLICIES.slice(0, networks.length).map(({ member }) => member);
  const report = { ...decision, policies: policies.join(', ') };
  if (!report.state.isAllowed) throw rateLimited(reply, { rejectedBy: 'rate', ...report });
  reportLimits(reply, report);
}

/** @throws ApiError `invalid_query` */
function parseName(q: string): string {
  const name = q.trim();
  if (name === '') throw invalidParameter('q', 'must not be blank');
  if (name.includes('\0') || !name.isWellFormed())
    throw invalidParameter('q', 'must not contain invalid characters');
  return name;
}
