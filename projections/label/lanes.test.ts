import { describe, expect, it } from 'vitest';
import {
  aboutLabel,
  CATALOG_KEY,
  CLUSTER_KEY,
  clusterOnly,
  LABEL,
  LABEL_ID,
  OTHER_LABEL,
  labelRows as rowsOfLabel,
} from '../../test/rows/label.ts';
import { CHANGED_AT, mirrorRows } from '../../test/rows/source-rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import { catalogLabelCoOwnership } from '../sources/catalog/label-co-ownership.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
import { boundCatalogLabels, boundLabelCluster, labelName, labelRows } from './lanes.ts';

const FOLDED = '0c'.repeat(32);

describe('the cluster of a catalogue label', () => {
  it('is the one whose bridge names it', () => {
    const bridge = aboutLabel(labelIdentityBridge, {}, { cluster_id: OTHER_LABEL, catalog_label_id: 99 });
    expect(boundLabelCluster(mirrorRows(bridge), CATALOG_KEY)).toBe(LABEL);
    expect(boundLabelCluster(mirrorRows(bridge), 'catalog-label:99')).toBe(OTHER_LABEL);
    expect(boundLabelCluster(mirrorRows(bridge), 'catalog-label:7')).toBeNull();
  });

  it('is of several one that is no over-merge, then the least', () => {
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

  it('is an over-merge where there is no other', () => {
    const folded = aboutLabel(labelIdentityBridge, { cluster_id: FOLDED, catalog_label_id_count: 2 });
    expect(boundLabelCluster(mirrorRows(folded), CATALOG_KEY)).toBe(FOLDED);
  });
});

it('finds the catalogue labels that hold the rows of a cluster', () => {
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

  it('are those of both subjects in the catalogue lane', () => {
    const own = labelRows(CATALOG_KEY, rows);
    expect([own.catalogLabelId, own.clusterId, labelName(own)]).toEqual([LABEL_ID, LABEL, 'Warp']);
    expect(own.one(labelIdentityBridge)?.name).toBe('warp records');
  });

  it('are those of the cluster alone in its lane', () => {
    const own = labelRows(CLUSTER_KEY, rows);
    expect([own.catalogLabelId, own.clusterId, labelName(own)]).toEqual([null, LABEL, 'warp records']);
    expect(own.one(catalogLabel)).toBeNull();
  });

  it('have no name where nobody gives one', () => {
    expect(labelName(labelRows(`label:${OTHER_LABEL}`, rows))).toBeNull();
    expect(labelName(labelRows('catalog-label:99', rows))).toBeNull();
  });
});

describe('the time of the newest pair', () => {
  const changedAt = (...supports: number[]): number | null => {
    const pairs = supports.map((support, index) => ({ other_cluster_id: `${index}`.repeat(64), support }));
    const own = rowsOfLabel(clusterOnly, aboutLabel(catalogLabelCoOwnership, ...pairs));
    return own.changedAt(catalogLabelCoOwnership);
  };

  it('is that of its newest change', () => {
    expect(changedAt(5)).toBe(CHANGED_AT);
    expect(changedAt(5, 8)).toBe(CHANGED_AT + 1_000);
  });

  it('is not told where no pair is', () => {
    expect(changedAt()).toBeNull();
    expect(changedAt(4)).toBeNull();
  });
});
