import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { labelProjection } from '../projections/label/project.ts';
import { type Registry, registerSources } from '../projections/registry.ts';
import { catalogLabel } from '../projections/sources/catalog/label.ts';
import { catalogLabelBehavior } from '../projections/sources/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../projections/sources/catalog/label-co-ownership.ts';
import type { Source } from '../projections/sources/contract.ts';
import { labelDjsetMomentum } from '../projections/sources/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../projections/sources/seen/label-identity-bridge.ts';
import { LabelDossierBody } from '../services/query/schemas/label.ts';
import { type Staleness, stalenessOf } from '../services/query/serving/staleness.ts';
import { ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { drain } from '../workers/project/drain.ts';
import { closed } from './closed-schema.ts';
import { deliveries } from './delivery.ts';
import type { Deed } from './history/history.ts';
import { keyHeader, queryApp } from './query-app.ts';
import { aboutLabel, LABEL } from './rows/label.ts';
import type { SourceRows } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

export const NEAR = '2b'.repeat(32);
export const HIDDEN = 'dd'.repeat(32);
export const BRIDGE_ONLY = '3c'.repeat(32);
export const RIVAL = '4d'.repeat(32);
export const FOLDED = '5e'.repeat(32);
export const NAMELESS = '6f'.repeat(32);
export const SILENT = '7a'.repeat(32);
export const UNKNOWN = 'ab'.repeat(32);
export const LONELY_ID = 24;
export const FOLDED_ID = 25;
export const HIDDEN_NAME = 'Name That Nobody May Read';

/** What an answer says where no source speaks of the label. */
export const GAPS = {
  behavioral: { state: 'honest_gap', signals: null },
  travels: { state: 'honest_gap', related: [] },
  dj_momentum: { state: 'honest_gap', signals: null },
};

/** Rows as writes of their producers. */
export const writes = ({ source, rows }: SourceRows): Deed[] =>
  rows.map((row) => ({ source, kind: 'write', row, unavailable: [] }));

/** Labels in every state, as their producers wrote them. */
export const world: readonly Deed[] = [
  aboutLabel(
    catalogLabel,
    { name: 'Warp', slug: 'WARP', parent_label: 'Warp Holdings', urls: ['https://warp.example'] },
    { catalog_label_id: LONELY_ID, name: 'Rival', slug: 'rival' },
    { catalog_label_id: FOLDED_ID, name: 'Folded', slug: 'folded' },
  ),
  aboutLabel(
    labelIdentityBridge,
    {
      name: 'Warp Records',
      slug: 'warp-records',
      storefront_url: 'https://shop.example/warp',
      has_catalog: true,
    },
    { cluster_id: BRIDGE_ONLY, catalog_label_id: null, name: 'Größe 東京', slug: 'Größe-東京' },
    { cluster_id: RIVAL, catalog_label_id: null, name: 'Another Rival', slug: 'Rival' },
    {
      cluster_id: FOLDED,
      catalog_label_id: FOLDED_ID,
      catalog_label_id_count: 3,
      name: 'Folds',
      slug: 'folds',
    },
    { cluster_id: SILENT, catalog_label_id: null, name: 'Silent', slug: 'silent' },
  ),
  aboutLabel(catalogLabelBehavior, { owner_reach: 1_200, primary_styles: ['IDM'] }),
  aboutLabel(
    catalogLabelCoOwnership,
    { other_cluster_id: HIDDEN, other_label_name: HIDDEN_NAME, npmi: 0.9, support: 4 },
    { cluster_id: HIDDEN, other_cluster_id: LABEL, other_label_name: 'Warp', npmi: 0.9, support: 4 },
    { other_cluster_id: NEAR, other_label_name: 'Near', npmi: 0.5, support: 5 },
  ),
  aboutLabel(
    labelDjsetMomentum,
    { play_count: 8, plays_last_365d: 2, first_played_at: '2012-02-29' },
    { cluster_id: NAMELESS, play_count: 3, plays_last_365d: 0 },
    { cluster_id: SILENT, play_count: 0, plays_last_365d: 0 },
  ),
].flatMap(writes);

type Headers = Record<string, string>;
type Dossier = Record<string, unknown>;

export interface LabelService {
  readonly pool: Pool;
  /** Answers a request that carries a key. */
  get(url: string, headers?: Headers, method?: 'GET' | 'HEAD'): Promise<LightMyRequestResponse>;
  getWithoutKey(url: string): Promise<LightMyRequestResponse>;
  /** The dossier under a key, after it was held against the schema of the route. */
  dossier(asked: string, path?: string): Promise<Dossier>;
  /** What the producers did next, ingested and projected. */
  stream(...deeds: Deed[]): Promise<void>;
  /** Makes sources stale until the end of the test. */
  setStale(...sources: Source[]): void;
  passTime(ms: number): void;
}

/** Gives the test file the query service over a database that holds the `world`. Its clock starts with 2026. */
export function withLabels(): LabelService {
  const { pool } = withDatabase();
  const deeds: Deed[] = [];
  let app: FastifyInstance;
  let key: Headers;
  let registry: Registry;
  let now = Date.UTC(2026, 0, 1);
  let staleness: Staleness = stalenessOf([]);

  beforeAll(async () => {
    for (const format of ['date-time', 'date']) FormatRegistry.Set(format, () => true);
    registry = await registerSources(pool);
    await ingest(...world);
    await rebuild(pool, labelProjection, registry);
    app = await queryApp(pool, { now: () => now, staleness: () => staleness });
    key = await keyHeader(pool);
    // The first request verifies the key, which no later one has to do again.
    await get('/api/v2/label/warp');
  });
  afterAll(() => app.close());
  afterEach(() => {
    staleness = stalenessOf([]);
  });

  /** Delivers all that was done so far; what was delivered before changes nothing. */
  async function ingest(...more: readonly Deed[]): Promise<void> {
    deeds.push(...more);
    for (const { topic, batches } of deliveries(deeds, [], registry)) {
      const records = batches.flatMap((batch) => batch.records);
      const place = { group: `after ${deeds.length}`, topic, partition: 0 };
      await ingestBatch(pool, registry, place, records, null, records.length);
    }
  }

  const get: LabelService['get'] = (url, headers = {}, method = 'GET') =>
    app.inject({ method, url, headers: { ...key, ...headers } });

  return {
    pool,
    get,
    getWithoutKey: (url) => app.inject(url),
    async dossier(asked, path = '/api/v2/label') {
      const answer = await get(`${path}/${encodeURIComponent(asked)}`);
      expect(answer.statusCode).toBe(200);
      const body: Dossier = answer.json();
      expect([...Value.Errors(closed(LabelDossierBody), body)], asked).toEqual([]);
      return body;
    },
    async stream(...more) {
      await ingest(...more);
      await drain(pool, registry);
    },
    setStale(...sources) {
      staleness = stalenessOf(sources.map(registry.idOf));
    },
    passTime(ms) {
      now += ms;
    },
  };
}
