import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { catalogLabel } from '../../../projections/contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../../projections/contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../../projections/contracts/catalog/label-co-ownership.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { labelDjsetMomentum } from '../../../projections/contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import { prepareSeal, sealFrame } from '../../../projections/engine/frame/frame.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { FIRST_TIME_MS } from '../../../test/support/ingest/delivery.ts';
import {
  BRIDGE_ONLY,
  FOLDED,
  FOLDED_ID,
  GAPS,
  HIDDEN,
  HIDDEN_NAME,
  LONELY_ID,
  NAMELESS,
  NEAR,
  RIVAL,
  SILENT,
  UNKNOWN_LABEL,
  withLabels,
  world,
} from '../../../test/support/query/label-service.ts';
import { LABEL, LABEL_ID } from '../../../test/support/rows/label.ts';

const { pool, get, dossier, setStale } = withLabels();

describe('lanes', () => {
  it('returns a slug in the catalogue lane, in either case, on both routes', async () => {
    for (const requested of ['warp', 'WARP', 'Warp']) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        expect(await dossier(requested, path)).toMatchObject({
          contract_version: '2.0',
          grain: 'label',
          slug: 'warp',
          display: 'Warp',
          id: LABEL_ID,
          cluster_id: LABEL,
          resolved_via: 'catalog',
          identity: {
            catalogLabelId: LABEL_ID,
            name: 'Warp',
            parentLabel: 'Warp Holdings',
            profile: null,
            urls: ['https://warp.example'],
          },
          binds: {
            catalog_label_id: LABEL_ID,
            label_mbid: null,
            storefront_url: 'https://shop.example/warp',
          },
          presence: { has_catalog: true, has_storefront: false },
          behavioral: {
            state: 'present',
            signals: { ownerReach: { kind: 'count', value: 1_200 }, primaryStyles: ['IDM'] },
          },
          travels: {
            state: 'present',
            related: [
              {
                clusterId: NEAR,
                labelName: 'Near',
                npmi: 0.5,
                support: 5,
                _links: { label: `/api/v2/label/${NEAR}` },
              },
            ],
          },
          dj_momentum: {
            state: 'present',
            signals: { playCount: 8, playsLast365d: 2, velocity: 0.25, firstPlayedAt: '2012-02-29' },
          },
          generated_at: '2026-01-01T00:00:00Z',
        });
      }
    }
  });

  it('returns a cluster id in the cluster lane, on both routes', async () => {
    for (const requested of [LABEL]) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        expect(await dossier(requested, path)).toMatchObject({
          slug: 'warp-records',
          display: 'Warp Records',
          id: null,
          cluster_id: LABEL,
          resolved_via: 'cluster',
          identity: {
            catalogLabelId: null,
            name: 'Warp Records',
            parentLabel: null,
            profile: null,
            urls: [],
          },
          behavioral: { state: 'honest_gap', signals: null },
          travels: { state: 'present' },
          dj_momentum: { state: 'present' },
        });
      }
    }
  });

  it('falls back to the slug of a cluster that the catalogue lacks', async () => {
    for (const requested of ['Größe-東京', 'GRÖßE-東京']) {
      expect(await dossier(requested)).toMatchObject({
        slug: 'größe-東京',
        display: 'Größe 東京',
        id: null,
        cluster_id: BRIDGE_ONLY,
        resolved_via: 'cluster',
        travels: { state: 'empty', related: [] },
        dj_momentum: GAPS.dj_momentum,
      });
    }
    expect(await dossier('warp-records')).toMatchObject({ cluster_id: LABEL, resolved_via: 'cluster' });
  });

  it('prefer the catalogue for a slug that both lanes have, without a cluster', async () => {
    expect(await dossier('rival')).toMatchObject({
      display: 'Rival',
      id: LONELY_ID,
      cluster_id: null,
      resolved_via: 'catalog',
      identity: { name: 'Rival' },
      binds: { catalog_label_id: LONELY_ID },
      presence: { has_catalog: true, has_storefront: false, has_seen_momentum: false, has_editorial: false },
      ...GAPS,
      behavioral: { state: 'empty', signals: null },
    });
    expect(await dossier(RIVAL)).toMatchObject({
      slug: 'rival',
      display: 'Another Rival',
      cluster_id: RIVAL,
    });
  });

  it('flag a cluster that several catalogue labels folded into, by slug and by id', async () => {
    const flagged = {
      cluster_id: FOLDED,
      resolved_via: 'cluster',
      over_merge: { catalog_label_id_count: 3, folded: true },
    };
    expect(await dossier('folded')).toMatchObject({ ...flagged, id: FOLDED_ID, display: 'Folded' });
    expect(await dossier(FOLDED)).toMatchObject({ ...flagged, id: null, display: 'Folds' });
    for (const requested of ['warp', LABEL, 'rival', UNKNOWN_LABEL])
      expect(await dossier(requested), requested).not.toHaveProperty('over_merge');
  });

  it('distinguish no plays from plays and a nameless cluster from a missing one', async () => {
    expect(await dossier('silent')).toMatchObject({ cluster_id: SILENT, dj_momentum: GAPS.dj_momentum });
    expect(await dossier(NAMELESS)).toMatchObject({
      slug: NAMELESS,
      display: NAMELESS,
      identity: null,
      dj_momentum: { state: 'present', signals: { playCount: 3, velocity: 0 } },
    });
  });

  it('returns gaps for an unknown key and echoes the requested cluster id', async () => {
    for (const [requested, slug, clusterId, via] of [
      [UNKNOWN_LABEL, UNKNOWN_LABEL, UNKNOWN_LABEL, 'cluster'],
      ['Nobody', 'nobody', null, null],
      ['é'.repeat(200), 'é'.repeat(200), null, null],
      ['🎧', '🎧', null, null],
      [String(LABEL_ID), String(LABEL_ID), null, null],
    ] as const) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        const response = await dossier(requested, path);
        expect(response).toMatchObject({
          slug,
          display: slug,
          id: null,
          cluster_id: clusterId,
          resolved_via: via,
          identity: null,
          binds: { catalog_label_id: null, label_mbid: null, storefront_url: null },
          presence: {
            has_catalog: false,
            has_storefront: false,
            has_seen_momentum: false,
            has_editorial: false,
          },
          ...GAPS,
        });
        const provenance = response.provenance as { honestGapState: string; refreshedAt: string | null }[];
        expect(provenance.map(({ honestGapState, refreshedAt }) => [honestGapState, refreshedAt])).toEqual(
          Array.from({ length: 7 }, () => ['honest_gap', null]),
        );
      }
    }
  });
});

describe('provenance', () => {
  it('has one entry per field and source, with the time of its last change', async () => {
    const newest = (source: Source): number =>
      world.findLastIndex(
        (rowChange) =>
          rowChange.source === source &&
          (rowChange.row.cluster_id ?? LABEL) === LABEL &&
          (rowChange.row.catalog_label_id ?? LABEL_ID) === LABEL_ID,
      );
    const daily = { producer: 'seen', refreshCadence: 'daily', honestGapState: 'present', stale: false };
    const monthly = { ...daily, producer: 'catalog', refreshCadence: 'monthly' };
    const of = (source: Source): object => ({
      sourceTable: source.table,
      tier: source.tier,
      refreshedAt: isoSecond(FIRST_TIME_MS + 1_000 * newest(source)),
    });
    const bridge = (field: string) => ({ ...daily, ...of(labelIdentityBridge), field });
    expect((await dossier('warp')).provenance).toEqual([
      { ...monthly, ...of(catalogLabel), field: 'identity' },
      bridge('identity'),
      bridge('binds'),
      bridge('presence'),
      { ...monthly, ...of(catalogLabelBehavior), field: 'behavioral' },
      { ...monthly, ...of(catalogLabelCoOwnership), field: 'travels' },
      { ...daily, ...of(labelDjsetMomentum), field: 'dj_momentum' },
    ]);
  });

  it('shows that a source is stale and changes the ETag', async () => {
    const fresh = (await get('/api/v2/label/warp')).headers.etag;
    setStale(labelDjsetMomentum);
    const response = await get('/api/v2/label/warp');
    expect(response.headers.etag).not.toBe(fresh);
    const provenance: { stale: boolean; sourceTable: string }[] = response.json().provenance;
    expect(provenance.filter(({ stale }) => stale).map(({ sourceTable }) => sourceTable)).toEqual([
      'seen.label_djset_momentum',
    ]);
  });
});

describe('pairs with too few owners', () => {
  it('are in the mirror and in no read-model table', async () => {
    const { rows: mirrored } = await pool.query('select from ingest.mirror where row like $1', [
      `%${HIDDEN}%`,
    ]);
    expect(mirrored).toHaveLength(2);
    const stored = await storedText();
    expect(stored).toContain(NEAR);
    expect(stored).toContain('Warp Holdings');
    for (const secret of [HIDDEN, HIDDEN_NAME]) expect(stored).not.toContain(secret);
  });

  it('do not make their label exist', async () => {
    expect(await dossier(HIDDEN)).toMatchObject({ identity: null, cluster_id: HIDDEN, ...GAPS });
  });

  /** Every value of every table of schema read, bodies inflated. */
  async function storedText(): Promise<string> {
    const seal = prepareSeal('2026-01-01T00:00:00Z', () => false);
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema = 'read' and table_type = 'BASE TABLE'`,
    );
    expect(tables).toHaveLength(2);
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await pool.query<Record<string, unknown>>(`select * from ${name}`);
      for (const value of rows.flatMap((row) => Object.entries(row))) {
        const [column, content] = value;
        if (column === 'body') texts.push(gunzipSync(sealFrame(content as Buffer, seal)).toString());
        else texts.push(Buffer.isBuffer(content) ? content.toString('hex') : String(content));
      }
    }
    return texts.join('\n');
  }
});
