import { type Static, Type } from '@sinclair/typebox';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import type { Row } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { splitRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { orNull } from '../../engine/values.ts';
import { ArtistRows } from '../artist/facet.ts';
import { nameOf } from '../artist/facets/identity.ts';
import { artistSubject, clusterSlugs, isBind } from '../artist/lanes.ts';
import { artistDossierPath, artistPath } from '../shared/links.ts';
import { type AuthorityId, type KnownPages, type PageScheme, pageText } from './pages.ts';

const pagesOn = (site: string) => Type.Array(Type.String({ description: `A page on ${site}.` }));

/** An artist's ids and pages elsewhere. Only `cluster_id` is a key of this service. */
export const Locators = Type.Object(
  {
    catalog: orNull(Type.Integer({ description: 'Catalogue artist id.' })),
    mbid: orNull(Type.String({ description: 'Artist id of the metadata database.' })),
    storefront: pagesOn('the storefront'),
    audioshare: pagesOn('the audio-sharing site'),
    photoshare: pagesOn('the photo-sharing site'),
    streaming: pagesOn('the streaming site'),
    videoshare: pagesOn('a video-sharing site'),
    website: Type.Array(Type.String({ description: 'A website of their own.' })),
  },
  {
    description: 'Ids elsewhere, by confidence: from an authority, then listed, then declared.',
  },
);
type Locators = Static<typeof Locators>;

/** The stored identity of an artist: the part of a resolve response that does not depend on the request. */
export const Identity = Type.Object({
  cluster_id: orNull(Type.String()),
  slug: orNull(Type.String()),
  display: orNull(Type.String()),
  locators: Locators,
  resolved_via: Type.Union([Type.Literal('catalog'), Type.Literal('cluster')]),
  _links: Type.Optional(
    Type.Object({
      artist: Type.String(),
      artist_dossier_by_slug: orNull(Type.String()),
    }),
  ),
});
export type Identity = Static<typeof Identity>;

/** A stored identity, parsed only as far as choosing one needs. */
export interface StoredIdentity {
  /** Key of its document: a catalogue artist or a cluster. */
  readonly key: SubjectRef;
  readonly clusterId: string | null;
  /** An `Identity` as JSON, as the response sends it. */
  readonly text: string;
}

const CLUSTER_FIRST = '{"cluster_id":';

/** Parses only the first member of the text, the cluster id. */
export function storedIdentity(key: SubjectRef, text: string): StoredIdentity {
  if (!text.startsWith(CLUSTER_FIRST))
    throw new Error(`the identity of ${key} does not start with cluster_id`);
  const end = text.indexOf(',', CLUSTER_FIRST.length);
  return { key, clusterId: JSON.parse(text.slice(CLUSTER_FIRST.length, end)), text };
}

/** Whether it is the catalogue's document of the artist, not the cluster's. */
export const isCatalogIdentity = ({ key }: StoredIdentity): boolean =>
  splitRef(key).kind === 'catalog-artist';

export const readIdentity = ({ text }: StoredIdentity): Identity => JSON.parse(text);

/** The identity of an artist known only by cluster id. */
export const bareIdentity = (cluster: string): Identity =>
  withLinks({
    cluster_id: cluster,
    slug: null,
    display: null,
    locators: NO_LOCATORS,
    resolved_via: 'cluster',
  });

export const NO_LOCATORS: Locators = {
  catalog: null,
  mbid: null,
  storefront: [],
  audioshare: [],
  photoshare: [],
  streaming: [],
  videoshare: [],
  website: [],
};

function withLinks(identity: Identity): Identity {
  const { cluster_id, slug, resolved_via } = identity;
  // A slug enters the catalogue lane, a cluster id the cluster lane.
  const key = resolved_via === 'catalog' ? (slug ?? cluster_id) : (cluster_id ?? slug);
  if (key === null) return identity;
  return {
    ...identity,
    _links: {
      artist: artistPath(key),
      artist_dossier_by_slug: slug === null ? null : artistDossierPath(slug),
    },
  };
}

export interface CatalogArtistOptions {
  readonly key: SubjectRef;
  /** The cluster bound to the artist; null for none. */
  readonly cluster: SubjectRef | null;
  readonly pages: KnownPages;
}

export function catalogIdentity({ key, cluster, pages }: CatalogArtistOptions, rows: MirrorRows): Identity {
  const artist = rows.one(catalogArtist, key);
  return withLinks({
    cluster_id: cluster && splitRef(cluster).value,
    slug: artist?.slug.toLowerCase() ?? null,
    display: artist?.name ?? null,
    locators: {
      catalog: Number(splitRef(key).value),
      ...locatorsOf(rows.one(artistIdentityBridge, cluster), pages),
    },
    resolved_via: 'catalog',
  });
}

export function clusterIdentity(key: SubjectRef, rows: MirrorRows, pages: KnownPages): Identity {
  const bridge = rows.one(artistIdentityBridge, key);
  const catalog = bridge && isBind(bridge) ? bridge.catalog_artist_id : null;
  return withLinks({
    cluster_id: splitRef(key).value,
    slug: clusterSlugs(rows, key)[0]?.slug ?? null,
    display: nameOf(new ArtistRows(artistSubject(key, rows), rows)),
    locators: { catalog, ...locatorsOf(bridge, pages) },
    resolved_via: 'cluster',
  });
}

function locatorsOf(
  bridge: Row<typeof artistIdentityBridge> | null,
  pages: KnownPages,
): Omit<Locators, 'catalog'> {
  const at = (scheme: PageScheme): string[] => pageTexts(scheme, pages);
  return {
    mbid: bridge?.mbid ?? byConfidence(pages, 'mbid')[0]?.id.value ?? null,
    storefront: at('storefront'),
    audioshare: at('audioshare'),
    photoshare: at('photoshare'),
    streaming: at('streaming'),
    videoshare: at('videoshare'),
    website: at('website'),
  };
}

/** Values as the authority gives them, then further pages that it does not list. */
function pageTexts(scheme: PageScheme, pages: KnownPages): string[] {
  const given = byConfidence(pages, scheme);
  const known = new Set(given.map(({ page }) => page?.id));
  const further = [...pages.listed, ...pages.declared].filter(
    (page) => page.scheme === scheme && !known.has(page.id),
  );
  return [...new Set([...given.map(({ id }) => id.value), ...further.map(pageText)])];
}

function byConfidence({ authority }: KnownPages, scheme: AuthorityId['scheme']): KnownPages['authority'] {
  return authority
    .filter(({ id }) => id.scheme === scheme)
    .sort(
      (a, b) =>
        Number(b.id.verified) - Number(a.id.verified) ||
        b.id.confidence - a.id.confidence ||
        (a.id.value < b.id.value ? -1 : 1),
    );
}
