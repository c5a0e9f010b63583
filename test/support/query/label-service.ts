import type { LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { catalogLabel } from '../../../projections/contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../../projections/contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../../projections/contracts/catalog/label-co-ownership.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { labelDjsetMomentum } from '../../../projections/contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { labelProjection } from '../../../projections/models/label/project.ts';
import { LabelDossierBody } from '../../../services/query/label/route.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { drain } from '../../../workers/project/drain.ts';
import type { ProducerChange } from '../history/history.ts';
import { validBody } from '../http/valid-body.ts';
import { deliveries } from '../ingest/delivery.ts';
import { aboutLabel, LABEL } from '../rows/label.ts';
import type { SourceRows } from '../rows/source-rows.ts';
import { withQueryService } from './service.ts';

export const NEAR = '2b'.repeat(32);
export const HIDDEN = 'dd'.repeat(32);
export const BRIDGE_ONLY = '3c'.repeat(32);
export const RIVAL = '4d'.repeat(32);
export const FOLDED = '5e'.repeat(32);
export const NAMELESS = '6f'.repeat(32);
export const SILENT = '7a'.repeat(32);
export const UNKNOWN_LABEL = 'ab'.repeat(32);
export const LONELY_ID = 24;
export const FOLDED_ID = 25;
export const HIDDEN_NAME = 'Name That Nobody May Read';

/** The facets of a label without any source. */
export const GAPS = {
  behavioral: { state: 'honest_gap', signals: null },
  travels: { state: 'honest_gap', related: [] },
  dj_momentum: { state: 'honest_gap', signals: null },
};

/** Rows as writes of their producers. */
export const writes = ({ source, rows }: SourceRows): ProducerChange[] =>
  rows.map((row) => ({ source, kind: 'write', row, unavailable: [] }));

/** Labels in every state, as their producers wrote them. */
export const world: readonly ProducerChange[] = [
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
  /** Sends a request with the API key. */
  get(url: string, headers?: Headers, method?: 'GET' | 'HEAD'): Promise<LightMyRequestResponse>;
  getWithoutKey(url: string): Promise<LightMyRequestResponse>;
  /** The dossier under a key, validated against the schema of the route. */
  dossier(requested: string, path?: string): Promise<Dossier>;
  /** Ingests and projects further writes of producers. */
  stream(...rowChanges: ProducerChange[]): Promise<void>;
  /** Makes sources stale until the end of the test. */
  setStale(...sources: Source[]): void;
  passTime(ms: number): void;
}

/** Runs the query service over the `world`, for one test file. Its clock starts with 2026. */
export function withLabels(): LabelService {
  let now = Date.UTC(2026, 0, 1);
  const rowChanges: ProducerChange[] = [];
  const service = withQueryService({
    fill: (pool, registry) => ingest(pool, registry, world),
    projections: [labelProjection],
    parts: { now: () => now },
  });

  /** Delivers all changes so far; repeated ones change nothing. */
  async function ingest(pool: Pool, registry: Registry, more: readonly ProducerChange[]): Promise<void> {
    rowChanges.push(...more);
    for (const { topic, batches } of deliveries(rowChanges, [], registry)) {
      const records = batches.flatMap((batch) => batch.records);
      const place = { group: `after ${rowChanges.length}`, topic, partition: 0 };
      await ingestBatch(pool, registry, { topicPartition: place, records, from: null, to: records.length });
    }
  }

  const get: LabelService['get'] = (url, headers = {}, method = 'GET') =>
    service.app().inject({ method, url, headers: { ...service.key(), ...headers } });

  return {
    pool: service.pool,
    get,
    getWithoutKey: (url) => service.app().inject(url),
    async dossier(requested, path = '/api/v2/label') {
      return validBody(await get(`${path}/${encodeURIComponent(requested)}`), 200, LabelDossierBody);
    },
    async stream(...more) {
      await ingest(service.pool, service.registry(), more);
      await drain(service.pool, service.registry());
    },
    setStale: service.setStale,
    passTime(ms) {
      now += ms;
    },
  };
}
