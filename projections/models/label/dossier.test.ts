import { describe, expect, it } from 'vitest';
import {
  aboutLabel,
  CATALOG_KEY,
  CLUSTER_KEY,
  LABEL,
  LABEL_ID,
  OTHER_LABEL,
} from '../../../test/support/rows/label.ts';
import type { SourceRows } from '../../../test/support/rows/source-rows.ts';
import { CHANGED_AT, mirrorRows } from '../../../test/support/rows/source-rows.ts';
import { catalogLabel } from '../../contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../contracts/catalog/label-co-ownership.ts';
import { labelDjsetMomentum } from '../../contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { CONTRACT_VERSION } from '../../engine/contract-version.ts';
import type { Dossier } from '../../engine/dossier.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { buildLabel, unresolvedLabel } from './dossier.ts';
import { labelRows as rowsOfKey } from './lanes.ts';

const known = aboutLabel(catalogLabel, { name: 'Warp', slug: 'WARP' });
const bridge = (count = 1): SourceRows =>
  aboutLabel(labelIdentityBridge, {
    name: 'Warp Records',
    slug: 'Warp-Records',
    catalog_label_id_count: count,
    has_catalog: true,
  });
const behavior = aboutLabel(catalogLabelBehavior, { owner_reach: 8 });
const pair = aboutLabel(catalogLabelCoOwnership, { other_cluster_id: OTHER_LABEL, npmi: 0.5, support: 5 });
const momentum = aboutLabel(labelDjsetMomentum, { play_count: 4, plays_last_365d: 1 });

const build = (key: SubjectRef, ...given: SourceRows[]): Dossier =>
  buildLabel(key, rowsOfKey(key, mirrorRows(...given)));

const MEMBERS = [
  'contract_version',
  'grain',
  'slug',
  'display',
  'id',
  'cluster_id',
  'resolved_via',
  'identity',
  'binds',
  'presence',
  'behavioral',
  'travels',
  'dj_momentum',
];

/** States by facet and source, and when that source changed. */
const provenanceOf = ({ provenance }: Dossier): unknown[] =>
  provenance.map(({ of: { source }, state, refreshedAt }) => [source.table, state, refreshedAt]);

describe('the catalogue lane', () => {
  it('combines the catalogue and its bound cluster', () => {
    const dossier = build(CATALOG_KEY, known, bridge(), behavior, pair, momentum);
    expect(Object.keys(dossier.members)).toEqual(MEMBERS);
    expect(dossier.members).toMatchObject({
      contract_version: CONTRACT_VERSION,
      grain: 'label',
      slug: 'warp',
      display: 'Warp',
      id: LABEL_ID,
      cluster_id: LABEL,
      resolved_via: 'catalog',
      identity: { catalogLabelId: LABEL_ID, name: 'Warp' },
      binds: { catalog_label_id: LABEL_ID },
      behavioral: { state: 'present', signals: { ownerReach: { kind: 'count', value: 8 } } },
      travels: { state: 'present', related: [{ clusterId: OTHER_LABEL }] },
      dj_momentum: { state: 'present', signals: { velocity: 0.25 } },
    });
    expect(provenanceOf(dossier)).toEqual([
      ['catalog.label', 'present', CHANGED_AT],
      ['seen.label_identity_bridge', 'present', CHANGED_AT],
      ['seen.label_identity_bridge', 'present', CHANGED_AT],
      ['seen.label_identity_bridge', 'present', CHANGED_AT],
      ['catalog.label_behavior', 'present', CHANGED_AT],
      ['catalog.label_co_ownership', 'present', CHANGED_AT],
      ['seen.label_djset_momentum', 'present', CHANGED_AT],
    ]);
  });

  it('has gaps if no cluster is bound, even if other sources deliver', () => {
    const elsewhere = aboutLabel(labelIdentityBridge, { catalog_label_id: null });
    const dossier = build(CATALOG_KEY, known, elsewhere, pair, momentum);
    expect(dossier.members).toMatchObject({
      id: LABEL_ID,
      cluster_id: null,
      resolved_via: 'catalog',
      binds: { catalog_label_id: LABEL_ID, label_mbid: null, storefront_url: null },
      behavioral: { state: 'honest_gap', signals: null },
      travels: { state: 'honest_gap', related: [] },
      dj_momentum: { state: 'honest_gap', signals: null },
    });
    expect(provenanceOf(dossier)).toContainEqual(['catalog.label_co_ownership', 'honest_gap', null]);
  });
});

describe('the cluster lane', () => {
  it('never anchors to a catalogue row, bound or not', () => {
    const dossier = build(CLUSTER_KEY, known, bridge(), behavior, pair, momentum);
    expect(Object.keys(dossier.members)).toEqual(MEMBERS);
    expect(dossier.members).toMatchObject({
      slug: 'warp-records',
      display: 'Warp Records',
      id: null,
      cluster_id: LABEL,
      resolved_via: 'cluster',
      identity: { catalogLabelId: null, name: 'Warp Records' },
      behavioral: { state: 'honest_gap', signals: null },
      travels: { state: 'present' },
      dj_momentum: { state: 'present' },
    });
  });

  it('uses its id if no source names the cluster', () => {
    expect(build(CLUSTER_KEY, momentum).members).toMatchObject({
      slug: LABEL,
      display: LABEL,
      cluster_id: LABEL,
      resolved_via: 'cluster',
      identity: null,
      dj_momentum: { state: 'present' },
    });
  });
});

describe('an over-merged cluster', () => {
  it('is flagged and observed in both lanes', () => {
    for (const key of [CATALOG_KEY, CLUSTER_KEY]) {
      const { members } = build(key, known, bridge(3), behavior);
      expect(members).toMatchObject({
        cluster_id: LABEL,
        resolved_via: 'cluster',
        over_merge: { catalog_label_id_count: 3, folded: true },
      });
      expect(Object.keys(members)).toEqual([...MEMBERS.slice(0, 10), 'over_merge', ...MEMBERS.slice(10)]);
    }
  });

  it('keeps name and id of the catalogue label requested by slug', () => {
    expect(build(CATALOG_KEY, known, bridge(2)).members).toMatchObject({
      slug: 'warp',
      display: 'Warp',
      id: LABEL_ID,
    });
    expect(build(CLUSTER_KEY, known, bridge(2)).members).toMatchObject({ slug: 'warp-records', id: null });
  });

  it('is absent for one folded catalogue label, or none', () => {
    for (const count of [0, 1]) {
      const { members } = build(CATALOG_KEY, known, bridge(count));
      expect(members).not.toHaveProperty('over_merge');
      expect(members.resolved_via).toBe('catalog');
    }
  });
});

it('reveals nothing about pairs with fewer than five owners, not even their existence', () => {
  const hidden = aboutLabel(catalogLabelCoOwnership, { other_cluster_id: OTHER_LABEL, support: 4 });
  for (const key of [CATALOG_KEY, CLUSTER_KEY])
    expect(build(key, known, bridge(), hidden)).toEqual(
      build(key, known, bridge(), aboutLabel(catalogLabelCoOwnership)),
    );
});

describe('an unresolved label', () => {
  const gaps = {
    identity: null,
    binds: { catalog_label_id: null, label_mbid: null, storefront_url: null },
    presence: { has_catalog: false, has_storefront: false, has_seen_momentum: false, has_editorial: false },
    behavioral: { state: 'honest_gap', signals: null },
    travels: { state: 'honest_gap', related: [] },
    dj_momentum: { state: 'honest_gap', signals: null },
  };
  const envelope = { contract_version: CONTRACT_VERSION, grain: 'label', id: null };

  it('echoes the requested cluster id', () => {
    expect(unresolvedLabel(LABEL, true).members).toEqual({
      ...envelope,
      slug: LABEL,
      display: LABEL,
      cluster_id: LABEL,
      resolved_via: 'cluster',
      ...gaps,
    });
  });

  it('has neither id nor tier by slug', () => {
    expect(unresolvedLabel('unknown', false).members).toEqual({
      ...envelope,
      slug: 'unknown',
      display: 'unknown',
      cluster_id: null,
      resolved_via: null,
      ...gaps,
    });
  });

  it('has the members of a resolved label, and a gap in every source', () => {
    for (const isCluster of [true, false]) {
      const dossier = unresolvedLabel(LABEL, isCluster);
      expect(Object.keys(dossier.members)).toEqual(MEMBERS);
      expect(provenanceOf(dossier)).toEqual(
        provenanceOf(build(CLUSTER_KEY)).map((entry) => [(entry as unknown[])[0], 'honest_gap', null]),
      );
      expect(dossier.provenance).toHaveLength(7);
    }
  });
});
