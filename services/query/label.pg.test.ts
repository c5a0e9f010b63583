import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { prepareSeal, sealFrame } from '../../projections/frame/frame.ts';
import { isoSecond } from '../../projections/provenance.ts';
import { catalogLabel } from '../../projections/sources/catalog/label.ts';
import { catalogLabelBehavior } from '../../projections/sources/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../projections/sources/catalog/label-co-ownership.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { labelDjsetMomentum } from '../../projections/sources/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../projections/sources/seen/label-identity-bridge.ts';
import { FIRST_TIME_MS } from '../../test/delivery.ts';
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
  UNKNOWN,
  withLabels,
  world,
} from '../../test/label-service.ts';
import { LABEL, LABEL_ID } from '../../test/rows/label.ts';

const { pool, get, dossier, setStale } = withLabels();

describe('lanes', () => {
  it('answers a slug in the catalogue lane, in either case, on both routes', async () => {
    for (const asked of ['warp', 'WARP', 'Warp']) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        expect(await dossier(asked, path)).toMatchObject({
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

  it('answers a cluster id in the cluster lane, in either case, on both routes', async () => {
    for (const asked of [LABEL, LABEL.toUpperCase()]) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        expect(await dossier(asked, path)).toMatchObject({
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

  it('falls back to the slug of a cluster that the catalogue does not have', async () => {
    for (const asked of ['Größe-東京', 'GRÖßE-東京']) {
      expect(await dossier(asked)).toMatchObject({
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

  it('gives a slug that both have to the catalogue, which has no cluster by it', async () => {
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

  it('flags a cluster that several catalogue labels folded into, by slug and by id', async () => {
    const flagged = {
      cluster_id: FOLDED,
      resolved_via: 'cluster',
      over_merge: { catalog_label_id_count: 3, folded: true },
    };
    expect(await dossier('folded')).toMatchObject({ ...flagged, id: FOLDED_ID, display: 'Folded' });
    expect(await dossier(FOLDED)).toMatchObject({ ...flagged, id: null, display: 'Folds' });
    for (const asked of ['warp', LABEL, 'rival', UNKNOWN])
      expect(await dossier(asked), asked).not.toHaveProperty('over_merge');
  });

  it('tells no plays from plays, and a cluster without a name from none', async () => {
    expect(await dossier('silent')).toMatchObject({ cluster_id: SILENT, dj_momentum: GAPS.dj_momentum });
    expect(await dossier(NAMELESS)).toMatchObject({
      slug: NAMELESS,
      display: NAMELESS,
      identity: null,
      dj_momentum: { state: 'present', signals: { playCount: 3, velocity: 0 } },
    });
  });

  it('answers an unknown key with gaps, and echoes the cluster id that was asked', async () => {
    for (const [asked, slug, clusterId, via] of [
      [UNKNOWN.toUpperCase(), UNKNOWN, UNKNOWN, 'cluster'],
      ['Nobody', 'nobody', null, null],
      ['é'.repeat(200), 'é'.repeat(200), null, null],
      ['🎧', '🎧', null, null],
      [String(LABEL_ID), String(LABEL_ID), null, null],
    ] as const) {
      for (const path of ['/api/v2/label', '/api/v2/dossier/label']) {
        const answer = await dossier(asked, path);
        expect(answer).toMatchObject({
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
        const provenance = answer.provenance as { honestGapState: string; refreshedAt: string | null }[];
        expect(provenance.map(({ honestGapState, refreshedAt }) => [honestGapState, refreshedAt])).toEqual(
          Array.from({ length: 7 }, () => ['honest_gap', null]),
        );
      }
    }
  });
});

describe('provenance', () => {
  it('has one entry a facet and source, and says when each changed', async () => {
    const newest = (source: Source): number =>
      world.findLastIndex(
        (deed) =>
          deed.source === source &&
          (deed.row.cluster_id ?? LABEL) === LABEL &&
          (deed.row.catalog_label_id ?? LABEL_ID) === LABEL_ID,
      );
    const daily = { producer: 'seen', refreshCadence: 'daily', honestGapState: 'present', stale: false };
    const monthly = { ...daily, producer: 'catalog', refreshCadence: 'monthly' };
    const of = (source: Source): object => ({
      sourceTable: source.table,
      tier: source.tier,
      refreshedAt: isoSecond(FIRST_TIME_MS + 1_000 * newest(source)),
    });
    const bridge = { ...daily, ...of(labelIdentityBridge) };
    expect((await dossier('warp')).provenance).toEqual([
      { ...monthly, ...of(catalogLabel) },
      bridge,
      bridge,
      bridge,
      { ...monthly, ...of(catalogLabelBehavior) },
      { ...monthly, ...of(catalogLabelCoOwnership) },
      { ...daily, ...of(labelDjsetMomentum) },
    ]);
  });

  it('says that a source is stale, and changes the tag with it', async () => {
    const fresh = (await get('/api/v2/label/warp')).headers.etag;
    setStale(labelDjsetMomentum);
    const answer = await get('/api/v2/label/warp');
    expect(answer.headers.etag).not.toBe(fresh);
    const provenance: { stale: boolean; sourceTable: string }[] = answer.json().provenance;
    expect(provenance.filter(({ stale }) => stale).map(({ sourceTable }) => sourceTable)).toEqual([
      'seen.label_djset_momentum',
    ]);
  });
});

describe('pairs that too few own', () => {
  it('are in the mirror, and in no table of the read models', async () => {
    const { rows: mirrored } = await pool.query('select from ingest.mirror where row like $1', [
      `%${HIDDEN}%`,
    ]);
    expect(mirrored).toHaveLength(2);
    const stored = await storedText();
    expect(stored).toContain(NEAR);
    expect(stored).toContain('Warp Holdings');
    for (const secret of [HIDDEN, HIDDEN_NAME]) expect(stored).not.toContain(secret);
  });

  it('do not make their label known', async () => {
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
