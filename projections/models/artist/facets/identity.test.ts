import { describe, expect, it } from 'vitest';
import {
  artistFacetRows,
  boundArtist,
  clusterOnlyArtist,
  unboundArtist,
} from '../../../../test/support/rows/artist.ts';
import { CATALOG_ID, CLUSTER, rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../contracts/mirror/cluster-authority-ids-v1.ts';
import { performingEntity } from '../../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../contracts/spine/spine-artist-name-published-view.ts';
import { identity, nameOf } from './identity.ts';

const inCatalog = rowsOf(catalogArtist, {
  name: 'Some Artist',
  realname: 'Ada Some',
  profile: 'Plays records.',
  urls: ['https://b.test', 'https://a.test'],
  aliases: ['Zed', 'Alf'],
});
const performing = rowsOf(performingEntity, { name: 'SOME ARTIST' });
const published = rowsOf(spineArtistNamePublishedView, {
  published_name: 'some artist',
  display: 'Some Artist!',
});
const aliases = rowsOf(clusterAliasV1, { alias: 'S. Artist' }, { alias: 'Artist, Some' });

describe('identity of a catalogue artist', () => {
  const expected = {
    catalogArtistId: CATALOG_ID,
    clusterId: CLUSTER,
    resolvedVia: 'catalog',
    name: 'Some Artist',
    realname: 'Ada Some',
    profile: 'Plays records.',
    urls: ['https://b.test', 'https://a.test'],
    aliases: ['Zed', 'Alf'],
  };

  it('is the catalogue row, and ignores the booking graph', () => {
    const built = identity.build(artistFacetRows(boundArtist, inCatalog, performing, published, aliases));
    expect(built).toEqual({ state: 'present', value: expected });
  });

  it('has no cluster if no bridge binds one', () => {
    expect(identity.build(artistFacetRows(unboundArtist, inCatalog)).value).toEqual({
      ...expected,
      clusterId: null,
    });
  });

  it('keeps unknown facts null and unknown lists empty', () => {
    const bare = rowsOf(catalogArtist, { name: 'Bare' });
    expect(identity.build(artistFacetRows(unboundArtist, bare)).value).toEqual({
      ...expected,
      clusterId: null,
      name: 'Bare',
      realname: null,
      profile: null,
      urls: [],
      aliases: [],
    });
  });

  it('takes no name from the cluster if the catalogue row is gone', () => {
    const built = identity.build(
      artistFacetRows(boundArtist, rowsOf(catalogArtist), performing, published, aliases),
    );
    expect(built).toEqual({ state: 'empty', value: null });
  });
});

describe('identity of a cluster', () => {
  it('never names a catalogue artist and takes pages from authorities, the surest first, each once', () => {
    const authorities = rowsOf(
      clusterAuthorityIdsV1,
      { scheme: 'website', value: 'b', url: 'https://b.test', confidence: 0.5 },
      {
        scheme: 'wikidata',
        value: 'a',
        url: 'https://data.test',
        confidence: 0.5,
      },
      { scheme: 'mbid', value: 'z', url: 'https://z.test', confidence: 0.9 },
      { scheme: 'isni', value: 'y', url: null, confidence: 1 },
      { scheme: 'website', value: 'a', url: 'https://a.test', confidence: 0.5 },
      {
        scheme: 'wikidata',
        value: 'q',
        url: 'https://z.test',
        confidence: 0.4,
      },
    );
    const built = identity.build(
      artistFacetRows(clusterOnlyArtist, inCatalog, performing, aliases, authorities),
    );
    expect(built).toEqual({
      state: 'present',
      value: {
        catalogArtistId: null,
        clusterId: CLUSTER,
        resolvedVia: 'cluster',
        name: 'SOME ARTIST',
        realname: null,
        profile: null,
        urls: ['https://z.test', 'https://a.test', 'https://data.test', 'https://b.test'],
        aliases: ['Artist, Some', 'S. Artist'],
      },
    });
  });

  it('takes its name from the performing entity, then the published display name, then the first alias', () => {
    expect(nameOf(artistFacetRows(clusterOnlyArtist, aliases, published, performing))).toBe('SOME ARTIST');
    expect(nameOf(artistFacetRows(clusterOnlyArtist, aliases, published))).toBe('Some Artist!');
    expect(nameOf(artistFacetRows(clusterOnlyArtist, aliases))).toBe('Artist, Some');
    expect(nameOf(artistFacetRows(clusterOnlyArtist, inCatalog))).toBeNull();
  });

  it('is absent with authority ids alone', () => {
    const authorities = rowsOf(clusterAuthorityIdsV1, {
      url: 'https://a.test',
    });
    const built = identity.build(artistFacetRows(clusterOnlyArtist, rowsOf(performingEntity), authorities));
    expect(built).toEqual({ state: 'empty', value: null });
    expect(identity.build(artistFacetRows(clusterOnlyArtist, authorities)).state).toBe('honest_gap');
  });
});
