import { describe, expect, it } from 'vitest';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { masterPropagationTimelineCluster } from '../../../projections/contracts/seen/master-propagation-timeline-cluster.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import type { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import type { DecodedRow } from './decode-row.ts';
import { completeRow, decoderOf, linksOf } from './row-decoder.ts';

const ID = 'a'.repeat(64);
const PLACEHOLDER = '__debezium_unavailable_value';

const play = {
  cluster_id: ID.toUpperCase(),
  play_id: 'aa.bbc.1',
  station: 'bbc',
  country: 'GB',
  title: 'One "More" Time',
  recording_cluster_id: null,
  dj_name: null,
  played_at: 1_518_297_180_000_000,
};

const PLAY_TEXT =
  `{"cluster_id":"${ID}","play_id":"aa.bbc.1","station":"bbc","country":"GB","title":"One \\"More\\" Time",` +
  `"recording_cluster_id":null,"dj_name":null,"played_at":"2018-02-10T21:13:00Z"}`;

const master = {
  master_id: 12,
  title: 'T',
  artist_display: 'A',
  catalog_artist_ids: [7, 9007199254740993n],
  artist_cluster_id: ID,
  year: 1999,
  genres: [],
  styles: [],
  formats: [],
  country: null,
  labels: [],
  release_count: null,
  rg_mbid: null,
  tracklist: '[{"position":"A1","title":"x","duration_s":61.0}]',
};

function decoded(
  source: typeof radioPlayV1 | typeof catalogMaster | typeof storefrontItem,
  row: object,
): DecodedRow {
  const result = decoderOf(source).decodeRow(row as Record<string, unknown>);
  if (result.violations !== null) throw new Error(JSON.stringify(result.violations));
  return result;
}

describe('decodeRow', () => {
  it('gives the canonical row and its addresses', () => {
    expect(decoded(radioPlayV1, play)).toEqual({
      violations: null,
      key: 'aa.bbc.1',
      subject: ID,
      links: [],
      orderKey: '7981-97-89T78:86:99Z',
      row: PLAY_TEXT,
      unavailable: [],
    });
  });

  it('accepts its own output with members in any order', () => {
    const row = JSON.parse(PLAY_TEXT);
    expect(decoded(radioPlayV1, row).row).toBe(PLAY_TEXT);
    expect(decoded(radioPlayV1, Object.fromEntries(Object.entries(row).reverse())).row).toBe(PLAY_TEXT);
  });

  it('reads an absent nullable column as null', () => {
    const { country: _, dj_name: __, ...rest } = play;
    expect(decoded(radioPlayV1, rest).row).toBe(PLAY_TEXT.replace('"GB"', 'null'));
  });

  it('keeps unknown columns unchanged after the others, by name', () => {
    const row = decoded(radioPlayV1, {
      ...play,
      zeta: { b: 1, a: [null] },
      '12': 9007199254740993n,
      alpha: 'x',
    }).row;
    expect(row).toBe(
      `${PLAY_TEXT.slice(0, -1)},"12":9007199254740993,"alpha":"x","zeta":{"b":1,"a":[null]}}`,
    );
  });

  it('reports all invalid fields', () => {
    const { station: _, ...rest } = play;
    const faulty = {
      ...rest,
      cluster_id: 'zz',
      title: null,
      played_at: 'soon',
      country: 12,
      dj_name: 'x'.repeat(20_001),
    };
    expect(decoderOf(radioPlayV1).decodeRow(faulty).violations).toEqual([
      { field: 'cluster_id', reason: 'not_hex32' },
      { field: 'station', reason: 'missing' },
      { field: 'country', reason: 'not_text' },
      { field: 'title', reason: 'null_not_allowed' },
      { field: 'dj_name', reason: 'too_long' },
      { field: 'played_at', reason: 'not_ts' },
    ]);
  });

  it('reports an unknown column that is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(decoderOf(radioPlayV1).decodeRow({ ...play, deep }).violations).toEqual([
      { field: 'deep', reason: 'not_json' },
    ]);
  });

  it('links to every subject of the row', () => {
    const { links, row } = decoded(catalogMaster, master);
    expect(links).toEqual(['catalog-artist:7', 'catalog-artist:9007199254740993', `artist:${ID}`]);
    expect(linksOf(catalogMaster, row)).toEqual(links);
    expect(
      decoded(catalogMaster, { ...master, catalog_artist_ids: [], artist_cluster_id: null }).links,
    ).toEqual([]);
    expect(linksOf(radioPlayV1, PLAY_TEXT)).toEqual(decoded(radioPlayV1, play).links);
  });

  it('keeps JSON documents number by number, and reads numbers kept as written', () => {
    const decoder = decoderOf(catalogMaster);
    const text = JSON.stringify(master, (_, value) => (typeof value === 'bigint' ? 8 : value))
      .replace('"year":1999', '"year":1999.0')
      .replace('[7,8]', '[7.0,8]');
    const { row } = decoded(catalogMaster, decoder.parse(text) as object);
    expect(row).toContain('"duration_s":61.0');
    expect(row).toContain('"catalog_artist_ids":[7,8]');
    expect(row).toContain('"year":1999,');
  });

  it('joins the values of a longer key', () => {
    const row = {
      cluster_id: ID,
      master_id: 12,
      master_title: 'T',
      channel: 'radio',
      first_seen_at: 0,
      latest_seen_at: 0,
      observations: 1,
    };
    const decoder = decoderOf(masterPropagationTimelineCluster);
    expect(decoder.decodeRow(row)).toMatchObject({ key: `${ID}\u001f12\u001fradio`, subject: ID });
    expect(decoder.decodeKey(row)).toEqual({
      violations: null,
      key: `${ID}\u001f12\u001fradio`,
      subject: ID,
    });
  });
});

describe('decodeKey', () => {
  it('has no subject if the key does not contain it', () => {
    expect(decoderOf(radioPlayV1).decodeKey({ play_id: 'x' })).toEqual({
      violations: null,
      key: 'x',
      subject: null,
    });
  });

  it('reports invalid columns', () => {
    expect(decoderOf(catalogMaster).decodeKey({ master_id: 'twelve' }).violations).toEqual([
      { field: 'master_id', reason: 'not_int' },
    ]);
    expect(decoderOf(catalogMaster).decodeKey({}).violations).toEqual([
      { field: 'master_id', reason: 'missing' },
    ]);
  });
});

describe('values that did not change', () => {
  const change = (source: typeof radioPlayV1 | typeof catalogMaster, row: object) => ({
    source,
    ...decoded(source, row),
  });

  it.each([PLACEHOLDER, Buffer.from(PLACEHOLDER).toString('base64')])(
    'differ from others as %s',
    (placeholder) => {
      expect(
        decoded(radioPlayV1, { ...play, recording_cluster_id: placeholder, title: PLACEHOLDER }).unavailable,
      ).toEqual(['title', 'recording_cluster_id']);
    },
  );

  it('may be of any type', () => {
    const row = {
      ...master,
      genres: [PLACEHOLDER],
      year: PLACEHOLDER,
      rg_mbid: PLACEHOLDER,
      tracklist: `"${PLACEHOLDER}"`,
    };
    expect(decoded(catalogMaster, row).unavailable).toEqual(['year', 'genres', 'rg_mbid', 'tracklist']);
    expect(decoded(catalogMaster, { ...master, tracklist: PLACEHOLDER }).unavailable).toEqual(['tracklist']);
    for (const hstore of [{ [PLACEHOLDER]: PLACEHOLDER }, `{"${PLACEHOLDER}":"${PLACEHOLDER}"}`])
      expect(decoded(catalogMaster, { ...master, tracklist: hstore }).unavailable).toEqual(['tracklist']);
  });

  it('are never in a key', () => {
    expect(decoderOf(radioPlayV1).decodeRow({ ...play, play_id: PLACEHOLDER }).violations).toEqual([
      { field: 'play_id', reason: 'missing' },
    ]);
  });

  it('come from the stored row, and so do values derived from them', () => {
    const before = decoded(radioPlayV1, { ...play, producer_batch: 'b-1' });
    const after = change(radioPlayV1, {
      ...play,
      cluster_id: PLACEHOLDER,
      title: PLACEHOLDER,
      played_at: PLACEHOLDER,
      producer_batch: PLACEHOLDER,
      station: 'kcur',
    });
    const completed = completeRow(after, before.row);
    expect(completed).toMatchObject({
      subject: ID,
      orderKey: before.orderKey,
      row: before.row.replace('"bbc"', '"kcur"'),
    });
  });

  it('keep numbers as they were stored', () => {
    const stored = decoded(catalogMaster, master).row;
    const after = change(catalogMaster, {
      ...master,
      tracklist: PLACEHOLDER,
      catalog_artist_ids: [PLACEHOLDER],
    });
    expect(completeRow(after, stored)).toMatchObject({
      row: stored,
      links: ['catalog-artist:7', 'catalog-artist:9007199254740993', `artist:${ID}`],
    });
  });

  it('are missing if no row is stored, or if the stored one lacks them', () => {
    const after = change(radioPlayV1, { ...play, title: PLACEHOLDER, country: PLACEHOLDER });
    expect(completeRow(after, null)).toEqual({ missing: ['country', 'title'] });
    expect(completeRow(after, '{"play_id":"aa.bbc.1"}')).toEqual({ missing: ['title'] });
  });

  it('leave a whole row as it is', () => {
    const whole = change(radioPlayV1, play);
    expect(completeRow(whole, null)).toBe(whole);
  });
});
