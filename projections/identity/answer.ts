import { type Static, Type } from '@sinclair/typebox';
import { ArtistRows } from '../artist/facet.ts';
import { nameOf } from '../artist/facets/identity.ts';
import { artistSubject, clusterSlugs, isBind } from '../artist/lanes.ts';
import { artistDossierPath, artistPath } from '../links.ts';
import { splitRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { orNull } from '../values.ts';
import { type AuthorityId, type KnownPages, type PageScheme, pageText } from './pages.ts';

const pagesOn = (site: string) => Type.Array(Type.String({ description: `A page on ${site}.` }));

/** Where the wider world knows an artist. Only `cluster_id` is a key of this service. */
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
    description: 'Ids elsewhere, the surest first: as an authority gives them, then as listed and declared.',
  },
);
type Locators = Static<typeof Locators>;

/** What is stored of an artist's identity: the part of a resolve answer that does not depend on the question. */
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

/** An identity as it is stored: what it is chosen by, and its text as it is answered. */
export interface StoredIdentity {
  /** Of the document that tells it: of an artist in the catalogue, or of a cluster. */
  readonly key: SubjectRef;
  readonly clusterId: string | null;
  /** JSON of the form `Identity`. */
  readonly text: string;
}

const CLUSTER_FIRST = '{"cluster_id":';

/** Reads no more of the text than its first member, which is the cluster id. */
export function storedIdentity(key: SubjectRef, text: string): StoredIdentity {
  if (!text.startsWith(CLUSTER_FIRST))
    throw new Error(`the identity of ${key} does not begin with its cluster`);
  const end = text.indexOf(',', CLUSTER_FIRST.length);
  return { key, clusterId: JSON.parse(text.slice(CLUSTER_FIRST.length, end)), text };
}

/** Whether it is told as the catalogue knows the artist, and not as a cluster alone. */
export const isOfCatalogue = ({ key }: StoredIdentity): boolean => splitRef(key).kind === 'catalog-artist';

export const readIdentity = ({ text }: StoredIdentity): Identity => JSON.parse(text);

/** The identity of an artist of whom no more is known than the cluster. */
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
  const { cluster_id, slug } = identity;
  const key = cluster_id ?? slug;
  if (key === null) return identity;
  return {
    ...identity,
    _links: {
      artist: artistPath(key),
      artist_dossier_by_slug: slug === null ? null : artistDossierPath(slug),
    },
  };
}

/** Identity of a catalogue artist. @param cluster that is bound to the artist; null for none */
export function catalogIdentity(
  key: SubjectRef,
  cluster: SubjectRef | null,
  rows: MirrorRows,
  pages: KnownPages,
): Identity {
  const artist = rows.one(catalogArtist, key);
  return withLinks({
    cluster_id: cluster && splitRef(cluster).value,
    slug: artist?.slug.toLowerCase() ?? null,
    display: artist?.name ?? null,
    locators: locatorsOf(Number(splitRef(key).value), cluster, rows, pages),
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
    locators: locatorsOf(catalog, key, rows, pages),
    resolved_via: 'cluster',
  });
}

function locatorsOf(
  catalog: number | null,
  cluster: SubjectRef | null,
  rows: MirrorRows,
  pages: KnownPages,
): Locators {
  const bridge = rows.one(artistIdentityBridge, cluster);
  const at = (scheme: PageScheme): string[] => pageTexts(scheme, pages);
  return {
    catalog,
    mbid: bridge?.mbid ?? surestFirst(pages, 'mbid')[0]?.id.value ?? null,
    storefront: at('storefront'),
    audioshare: at('audioshare'),
    photoshare: at('photoshare'),
    streaming: at('streaming'),
    videoshare: at('videoshare'),
    website: at('website'),
  };
}

/** What an authority gives is told as it gives it; beside it, the pages that it does not give. */
function pageTexts(scheme: PageScheme, pages: KnownPages): string[] {
  const given = surestFirst(pages, scheme);
  const known = new Set(given.map(({ page }) => page?.id));
  const further = [...pages.listed, ...pages.declared].filter(
    (page) => page.scheme === scheme && !known.has(page.id),
  );
  return [...new Set([...given.map(({ id }) => id.value), ...further.map(pageText)])];
}

function surestFirst({ authority }: KnownPages, scheme: AuthorityId['scheme']): KnownPages['authority'] {
  return authority
    .filter(({ id }) => id.scheme === scheme)
    .sort(
      (a, b) =>
        Number(b.id.verified) - Number(a.id.verified) ||
        b.id.confidence - a.id.confidence ||
        (a.id.value < b.id.value ? -1 : 1),
    );
}
