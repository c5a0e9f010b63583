import { describe, expect, it } from 'vitest';
import { artistRows, bound, clusterOnly, unbound } from '../../../test/rows/artist.ts';
import { CATALOG_ID, CLUSTER, rowsOf } from '../../../test/rows/source-rows.ts';
import { catalogArtist } from '../../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../../sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../sources/mirror/cluster-authority-ids-v1.ts';
import { performingEntity } from '../../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../sources/spine/spine-artist-name-published-view.ts';
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

  it('is the catalogue row, whatever the booking graph says of its cluster', () => {
    const built = identity.build(artistRows(bound, inCatalog, performing, published, aliases));
    expect(built).toEqual({ state: 'present', value: expected });
  });

  it('has no cluster where no bridge binds one', () => {
    expect(identity.build(artistRows(unbound, inCatalog)).value).toEqual({
      ...expected,
      clusterId: null,
    });
  });

  it('keeps unknown facts null and lists empty', () => {
    const bare = rowsOf(catalogArtist, { name: 'Bare' });
    expect(identity.build(artistRows(unbound, bare)).value).toEqual({
      ...expected,
      clusterId: null,
      name: 'Bare',
      realname: null,
      profile: null,
      urls: [],
      aliases: [],
    });
  });

  it('takes no name from the cluster where the catalogue row is gone', () => {
    const built = identity.build(artistRows(bound, rowsOf(catalogArtist), performing, published, aliases));
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
    const built = identity.build(artistRows(clusterOnly, inCatalog, performing, aliases, authorities));
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

  it('goes by the performing entity, then the published display name, then the first alias', () => {
    expect(nameOf(artistRows(clusterOnly, aliases, published, performing))).toBe('SOME ARTIST');
    expect(nameOf(artistRows(clusterOnly, aliases, published))).toBe('Some Artist!');
    expect(nameOf(artistRows(clusterOnly, aliases))).toBe('Artist, Some');
    expect(nameOf(artistRows(clusterOnly, inCatalog))).toBeNull();
  });

  it('is not made by authority ids alone', () => {
    const authorities = rowsOf(clusterAuthorityIdsV1, {
      url: 'https://a.test',
    });
    const built = identity.build(artistRows(clusterOnly, rowsOf(performingEntity), authorities));
    expect(built).toEqual({ state: 'empty', value: null });
    expect(identity.build(artistRows(clusterOnly, authorities)).state).toBe('honest_gap');
  });
});
