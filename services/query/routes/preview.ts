import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isoSecond } from '../../../projections/provenance.ts';
import { type Visitor, visitorOf } from '../../http/client-network.ts';
import { ApiError, ErrorBody, invalidParameter } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { rateLimited, showStanding } from '../plugins/rate-limit.ts';
import { PreviewBody, PreviewQuery } from '../schemas/preview.ts';
import { answerCache } from '../serving/answer-cache.ts';
import { ratePolicy } from '../serving/limits/policy.ts';
import { sharedSlidingWindow } from '../serving/limits/shared-sliding-window.ts';
import { previewFinder } from '../serving/preview.ts';
import type { RateStanding } from '../serving/rate-window.ts';
import { type SlidingWindow, slidingWindow } from '../serving/sliding-window.ts';

const HOUR_MS = 3_600_000;
const PER_HOUR = 100;
/** Of all networks of one site together. */
const PER_SITE_AND_HOUR = 1_000;
const KEEP_SECONDS = 60;
const MOST_KEPT = 5_000;
const RETRY_AFTER_SECONDS = 5;
const OF_NETWORK = ratePolicy('preview', PER_HOUR, HOUR_MS);
const OF_SITE = ratePolicy('preview-site', PER_SITE_AND_HOUR, HOUR_MS);
const OF_BOTH = `${OF_NETWORK.member}, ${OF_SITE.member}`;

/** A capped teaser without a key. Whom nobody was found for is kept like whom somebody was. */
export const previewRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const { now } = parts;
  const window = parts.previewWindow ?? windowOf(parts);
  const find = previewFinder(parts.readPool);
  const kept = answerCache<PreviewBody>({ keepMs: KEEP_SECONDS * 1_000, most: MOST_KEPT, now });

  app.get(
    '/api/v2/preview/artist',
    {
      config: { isPublic: true, isUnlimited: true },
      onRequest: (request, reply) => countVisit(window, request, reply),
      schema: {
        operationId: 'previewArtist',
        summary: 'A capped teaser of an artist, by name, slug or cluster id, for anybody',
        description: `${PER_HOUR} requests in any hour from an IPv4 address or an IPv6 /64, and ${PER_SITE_AND_HOUR} from an IPv6 /48.`,
        tags: ['preview'],
        querystring: PreviewQuery,
        response: { 200: PreviewBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request, reply) => {
      const asked = parseAsked(request.query.q);
      let answer = kept.get(asked);
      if (answer === undefined) {
        answer = { object: 'artist.preview', ...(await find(asked)), generated_at: isoSecond(now()) };
        kept.set(asked, answer);
      }
      // The standing in its headers is this visitor's own.
      reply.header('cache-control', `private, max-age=${KEEP_SECONDS}`);
      return answer;
    },
  );
  done();
};

function windowOf({ limitStore, now, clock = { steady: now, wall: now } }: QueryParts): SlidingWindow {
  const limits = { limit: PER_HOUR, siteLimit: PER_SITE_AND_HOUR, windowMs: HOUR_MS };
  return limitStore ? sharedSlidingWindow(limitStore, limits) : slidingWindow({ ...limits, clock });
}

/** Fails closed: where visits cannot be counted, nobody is let in. */
async function countVisit(
  window: SlidingWindow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const visitor = visitorOf(request.ip);
  let standing: RateStanding;
  try {
    standing = await window.take(visitor);
  } catch (error) {
    throw new ApiError('preview_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, error);
  }
  const policy = standing.limit === PER_HOUR ? OF_NETWORK : OF_SITE;
  const policies = policiesFor(visitor);
  if (!standing.isAllowed) throw rateLimited(reply, { refusedBy: 'rate', standing, policy, policies });
  showStanding(reply, standing, policy, policies);
}

const policiesFor = ({ site }: Visitor): string => (site === null ? OF_NETWORK.member : OF_BOTH);

/** @throws ApiError `invalid_query` */
function parseAsked(q: string): string {
  const asked = q.trim();
  if (asked === '') throw invalidParameter('q', 'must not be blank');
  if (asked.includes('\0') || !asked.isWellFormed())
    throw invalidParameter('q', 'must hold nothing that is not a character');
  return asked;
}
