import { expect, it } from 'vitest';
import {
  aboutLabel,
  boundLabel,
  clusterOnlyLabel,
  LABEL_ID,
  labelFacetRows,
  unboundLabel,
} from '../../../../test/support/rows/label.ts';
import { catalogLabel } from '../../../contracts/catalog/label.ts';
import { labelIdentityBridge } from '../../../contracts/seen/label-identity-bridge.ts';
import { binds } from './binds.ts';
import { identity } from './identity.ts';
import { presence } from './presence.ts';

const known = aboutLabel(catalogLabel, {
  name: 'Warp',
  slug: 'warp',
  parent_label: 'Warp Holdings',
  profile: 'From Sheffield.',
  urls: ['https://warp.example', 'https://warp.example/shop'],
});
const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const bridge = aboutLabel(labelIdentityBridge, {
  name: 'warp records',
  label_mbid: MBID,
  storefront_url: 'https://shop.example/warp',
  has_catalog: true,
  has_storefront: false,
  has_seen_momentum: true,
  has_editorial: false,
});

it('comes from the catalogue alone in the catalogue lane', () => {
  for (const subject of [boundLabel, unboundLabel]) {
    expect(identity.build(labelFacetRows(subject, known, bridge)).value).toEqual({
      catalogLabelId: LABEL_ID,
      name: 'Warp',
      parentLabel: 'Warp Holdings',
      profile: 'From Sheffield.',
      urls: ['https://warp.example', 'https://warp.example/shop'],
    });
  }
});

it('is only the name of the bridge in the cluster lane, bound or not', () => {
  expect(identity.build(labelFacetRows(clusterOnlyLabel, known, bridge)).value).toEqual({
    catalogLabelId: null,
    name: 'warp records',
    parentLabel: null,
    profile: null,
    urls: [],
  });
});

it('lists external ids', () => {
  const elsewhere = { label_mbid: MBID, storefront_url: 'https://shop.example/warp' };
  for (const subject of [boundLabel, clusterOnlyLabel]) {
    expect(binds.build(labelFacetRows(subject, known, bridge)).value).toEqual({
      catalog_label_id: LABEL_ID,
      ...elsewhere,
    });
  }
  const unnamed = aboutLabel(labelIdentityBridge, { catalog_label_id: null });
  expect(binds.build(labelFacetRows(clusterOnlyLabel, unnamed)).value).toEqual({
    catalog_label_id: null,
    label_mbid: null,
    storefront_url: null,
  });
  expect(binds.build(labelFacetRows(unboundLabel, known)).value).toEqual({
    catalog_label_id: LABEL_ID,
    label_mbid: null,
    storefront_url: null,
  });
});

it('has a flag per source', () => {
  const flags = { has_catalog: true, has_storefront: false, has_seen_momentum: true, has_editorial: false };
  for (const subject of [boundLabel, clusterOnlyLabel])
    expect(presence.build(labelFacetRows(subject, known, bridge)).value).toEqual(flags);
  const others = aboutLabel(labelIdentityBridge, { has_storefront: true, has_editorial: true });
  expect(presence.build(labelFacetRows(clusterOnlyLabel, others)).value).toEqual({
    has_catalog: false,
    has_storefront: true,
    has_seen_momentum: false,
    has_editorial: true,
  });
});

it('flags a catalogue label as in the catalogue, even against its bridge', () => {
  const denying = aboutLabel(labelIdentityBridge, { has_catalog: false });
  expect(presence.build(labelFacetRows(boundLabel, known, denying)).value).toMatchObject({
    has_catalog: true,
  });
  expect(presence.build(labelFacetRows(unboundLabel, known)).value).toEqual({
    has_catalog: true,
    has_storefront: false,
    has_seen_momentum: false,
    has_editorial: false,
  });
});
