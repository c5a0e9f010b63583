import { type Static, Type } from '@sinclair/typebox';
import { ArtistRows } from '../artist/facet.ts';
import { nameOf } from '../artist/facets/identity.ts';
import { artistSubject, boundCluster, clusterSlugs, isBind } from '../artist/lanes.ts';
import { splitRef, subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import type { Row } from '../sources/contract.ts';
import { clusterAuthorityIdsV1 } from '../sources/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** Where the wider world knows an artist. Only `cluster_id` is a key of this service. */
export const Locators = Type.Object({
  catalog: nullable(Type.Integer()),
  mbid: nullable(Type.String({ format: 'uuid' })),
  storefront: Type.Array(Type.String()),
  audioshare: Type.Array(Type.String()),
  photoshare: Type.Array(Type.String()),
  streaming: Type.Array(Type.String()),
  videoshare: Type.Array(Type.String()),
  website: Type.Array(Type.String()),
});

/** What is stored of an artist's identity: the part of a resolve answer that does not depend on the question. */
export const Identity = Type.Object({
  cluster_id: nullable(Type.String()),
  slug: nullable(Type.String()),
  display: nullable(Type.String()),
  locators: Locators,
  resolved_via: Type.Union([Type.Literal('catalog'), Type.Literal('cluster')]),
});
export type Identity = Static<typeof Identity>;

type AuthorityId = Row<typeof clusterAuthorityIdsV1>;
type LinkScheme = Exclude<keyof Static<typeof Locators>, 'catalog' | 'mbid'>;

/** Identity of the artist that `key` stands for, in the lane that `key` belongs to. */
export function identityOf(key: SubjectRef, rows: MirrorRows): Identity {
  const { kind, value } = splitRef(key);
  if (kind === 'catalog-artist') {
    const artist = rows.one(catalogArtist, key);
    const cluster = boundCluster(rows, key);
    return {
      cluster_id: cluster,
      slug: artist?.slug.toLowerCase() ?? null,
      display: artist?.name ?? null,
      locators: locatorsOf(Number(value), cluster, rows),
      resolved_via: 'catalog',
    };
  }
  const bridge = rows.one(artistIdentityBridge, key);
  return {
    cluster_id: value,
    slug: clusterSlugs(rows, key)[0]?.slug ?? null,
    display: nameOf(new ArtistRows(artistSubject(key, rows), rows)),
    locators: locatorsOf(bridge && isBind(bridge) ? bridge.catalog_artist_id : null, value, rows),
    resolved_via: 'cluster',
  };
}

function locatorsOf(
  catalog: number | null,
  cluster: string | null,
  rows: MirrorRows,
): Static<typeof Locators> {
  const ref = cluster === null ? null : subjectRef('artist', cluster);
  const ids = rows.all(clusterAuthorityIdsV1, ref);
  const bridge = rows.one(artistIdentityBridge, ref);
  const values = (scheme: LinkScheme): string[] => bestFirst(ids, scheme).map((id) => id.value);
  return {
    catalog,
    mbid: bridge?.mbid ?? bestFirst(ids, 'mbid')[0]?.value ?? null,
    storefront: values('storefront'),
    audioshare: values('audioshare'),
    photoshare: values('photoshare'),
    streaming: values('streaming'),
    videoshare: values('videoshare'),
    website: values('website'),
  };
}

const bestFirst = (ids: readonly AuthorityId[], scheme: AuthorityId['scheme']): AuthorityId[] =>
  ids
    .filter((id) => id.scheme === scheme)
    .sort(
      (a, b) =>
        Number(b.verified) - Number(a.verified) ||
        b.confidence - a.confidence ||
        (a.value < b.value ? -1 : 1),
    );
