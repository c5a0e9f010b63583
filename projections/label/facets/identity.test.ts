import { expect, it } from 'vitest';
import { aboutLabel, bound, clusterOnly, LABEL_ID, labelRows, unbound } from '../../../test/rows/label.ts';
import { catalogLabel } from '../../sources/catalog/label.ts';
import { labelIdentityBridge } from '../../sources/seen/label-identity-bridge.ts';
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

it('is told by the catalogue alone in the catalogue lane', () => {
  for (const subject of [bound, unbound]) {
    expect(identity.build(labelRows(subject, known, bridge)).value).toEqual({
      catalogLabelId: LABEL_ID,
      name: 'Warp',
      parentLabel: 'Warp Holdings',
      profile: 'From Sheffield.',
      urls: ['https://warp.example', 'https://warp.example/shop'],
    });
  }
});

it('is no more than the name of the bridge in the cluster lane, bound or not', () => {
  expect(identity.build(labelRows(clusterOnly, known, bridge)).value).toEqual({
    catalogLabelId: null,
    name: 'warp records',
    parentLabel: null,
    profile: null,
    urls: [],
  });
});

it('lists the ids elsewhere', () => {
  const elsewhere = { label_mbid: MBID, storefront_url: 'https://shop.example/warp' };
  for (const subject of [bound, clusterOnly]) {
    expect(binds.build(labelRows(subject, known, bridge)).value).toEqual({
      catalog_label_id: LABEL_ID,
      ...elsewhere,
    });
  }
  const unnamed = aboutLabel(labelIdentityBridge, { catalog_label_id: null });
  expect(binds.build(labelRows(clusterOnly, unnamed)).value).toEqual({
    catalog_label_id: null,
    label_mbid: null,
    storefront_url: null,
  });
  expect(binds.build(labelRows(unbound, known)).value).toEqual({
    catalog_label_id: LABEL_ID,
    label_mbid: null,
    storefront_url: null,
  });
});

it('says where the label is on file', () => {
  const flags = { has_catalog: true, has_storefront: false, has_seen_momentum: true, has_editorial: false };
  for (const subject of [bound, clusterOnly])
    expect(presence.build(labelRows(subject, known, bridge)).value).toEqual(flags);
  const others = aboutLabel(labelIdentityBridge, { has_storefront: true, has_editorial: true });
  expect(presence.build(labelRows(clusterOnly, others)).value).toEqual({
    has_catalog: false,
    has_storefront: true,
    has_seen_momentum: false,
    has_editorial: true,
  });
});

it('knows a catalogue label to be in the catalogue, whatever its bridge says', () => {
  const denying = aboutLabel(labelIdentityBridge, { has_catalog: false });
  expect(presence.build(labelRows(bound, known, denying)).value).toMatchObject({ has_catalog: true });
  expect(presence.build(labelRows(unbound, known)).value).toEqual({
    has_catalog: true,
    has_storefront: false,
    has_seen_momentum: false,
    has_editorial: false,
  });
});
