import { describe, expect, it } from 'vitest';
import {
  aboutLabel,
  CATALOG_KEY,
  CLUSTER_KEY,
  clusterOnlyLabel,
  LABEL,
  LABEL_ID,
  OTHER_LABEL,
  labelFacetRows as rowsOfLabel,
} from '../../../test/support/rows/label.ts';
import { CHANGED_AT, mirrorRows } from '../../../test/support/rows/source-rows.ts';
import { catalogLabel } from '../../contracts/catalog/label.ts';
import { catalogLabelCoOwnership } from '../../contracts/catalog/label-co-ownership.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { boundCatalogLabels, boundLabelCluster, labelName, labelRows } from './lanes.ts';

const FOLDED = '0c'.repeat(32);

describe('the cluster of a catalogue label', () => {
  it('is the cluster whose bridge names it', () => {
    const bridge = aboutLabel(labelIdentityBridge, {}, { cluster_id: OTHER_LABEL, catalog_label_id: 99 });
    expect(boundLabelCluster(mirrorRows(bridge), CATALOG_KEY)).toBe(LABEL);
    expect(boundLabelCluster(mirrorRows(bridge), 'catalog-label:99')).toBe(OTHER_LABEL);
    expect(boundLabelCluster(mirrorRows(bridge), 'catalog-label:7')).toBeNull();
  });

  it('is the least of several, except over-merges', () => {
    const bridges = [
      { cluster_id: FOLDED, catalog_label_id_count: 2 },
      { cluster_id: OTHER_LABEL, catalog_label_id_count: 1 },
      { cluster_id: LABEL, catalog_label_id_count: 1 },
    ];
    for (const given of [bridges, bridges.toReversed()])
      expect(boundLabelCluster(mirrorRows(aboutLabel(labelIdentityBridge, ...given)), CATALOG_KEY)).toBe(
        LABEL,
      );
  });

  it('is an over-merge if no other exists', () => {
    const folded = aboutLabel(labelIdentityBridge, { cluster_id: FOLDED, catalog_label_id_count: 2 });
    expect(boundLabelCluster(mirrorRows(folded), CATALOG_KEY)).toBe(FOLDED);
  });
});

it('finds the catalogue labels bound to a cluster', () => {
  const rows = mirrorRows(
    aboutLabel(labelIdentityBridge, {}, { cluster_id: OTHER_LABEL, catalog_label_id: null }),
  );
  expect(boundCatalogLabels(rows, CLUSTER_KEY)).toEqual([CATALOG_KEY]);
  expect(boundCatalogLabels(rows, `label:${OTHER_LABEL}`)).toEqual([]);
});

describe('the rows of a document', () => {
  const rows = mirrorRows(
    aboutLabel(catalogLabel, { name: 'Warp' }),
    aboutLabel(labelIdentityBridge, { name: 'warp records' }),
  );

  it('come from both subjects in the catalogue lane', () => {
    const own = labelRows(CATALOG_KEY, rows);
    expect([own.catalogLabelId, own.clusterId, labelName(own)]).toEqual([LABEL_ID, LABEL, 'Warp']);
    expect(own.one(labelIdentityBridge)?.name).toBe('warp records');
  });

  it('come from the cluster alone in the cluster lane', () => {
    const own = labelRows(CLUSTER_KEY, rows);
    expect([own.catalogLabelId, own.clusterId, labelName(own)]).toEqual([null, LABEL, 'warp records']);
    expect(own.one(catalogLabel)).toBeNull();
  });

  it('have no name if no source gives one', () => {
    expect(labelName(labelRows(`label:${OTHER_LABEL}`, rows))).toBeNull();
    expect(labelName(labelRows('catalog-label:99', rows))).toBeNull();
  });
});

describe('the time of the newest pair', () => {
  const changedAt = (...supports: number[]): number | null => {
    const pairs = supports.map((support, index) => ({ other_cluster_id: `${index}`.repeat(64), support }));
    const own = rowsOfLabel(clusterOnlyLabel, aboutLabel(catalogLabelCoOwnership, ...pairs));
    return own.changedAt(catalogLabelCoOwnership);
  };

  it('is the time of its newest change', () => {
    expect(changedAt(5)).toBe(CHANGED_AT);
    expect(changedAt(5, 8)).toBe(CHANGED_AT + 1_000);
  });

  it('is null if no pair is published', () => {
    expect(changedAt()).toBeNull();
    expect(changedAt(4)).toBeNull();
  });
});
