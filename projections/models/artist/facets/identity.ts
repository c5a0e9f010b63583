import { type Static, Type } from '@sinclair/typebox';
import { catalogArtist } from '../../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../../contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../contracts/spine/spine-artist-name-published-view.ts';
import { alsoFrom, type Facet, fromSource, openState } from '../../../engine/facet.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import type { ArtistRows } from '../facet.ts';

const description = 'Name, catalogue id, cluster, other names and own pages.';

const Identity = Type.Object({
  catalogArtistId: orNull(
    Type.Number({ description: 'Catalogue artist id; null for an artist entered by cluster.' }),
  ),
  clusterId: fromSource(
    artistIdentityBridge,
    orNull(Type.String({ description: 'Cluster id, 64 hex digits; null where no cluster is bound.' })),
  ),
  resolvedVia: Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
    description: 'Binding tier: catalog (verified) or cluster (observed, unverified).',
  }),
  name: Type.String({ description: 'Display name.' }),
  realname: orNull(Type.String({ description: 'Civil name; null where unknown or entered by cluster.' })),
  profile: orNull(
    Type.String({ description: 'Text about the artist; null where there is none or entered by cluster.' }),
  ),
  urls: alsoFrom(
    clusterAuthorityIdsV1,
    Type.Array(Type.String({ description: 'URL of a page.' }), { description: "The artist's pages." }),
  ),
  aliases: Type.Array(Type.String({ description: 'One other name.' }), {
    description: 'Other names of the artist.',
  }),
});
type Identity = Static<typeof Identity>;

/** The sources of an artist's name; authority ids only add pages to a named artist. */
const naming = {
  catalog: [catalogArtist],
  cluster: [performingEntity, spineArtistNamePublishedView, clusterAliasV1],
} as const;

/** Without the `{state, signals}` wrapper: the whole identity is null if no source names the artist. */
export const identity: Facet<ArtistRows, 'identity'> = {
  name: 'identity',
  sources: [...naming.catalog, ...naming.cluster, clusterAuthorityIdsV1, artistIdentityBridge],
  usable: ({ subject: { lane } }) =>
    lane === 'catalog'
      ? [...naming.catalog, artistIdentityBridge]
      : [...naming.cluster, clusterAuthorityIdsV1],
  description,
  schema: Type.Union([Identity, Type.Null()], { description }),
  build(rows) {
    const value = identityOf(rows);
    return {
      state: value === null ? openState(rows, naming[rows.subject.lane]) : 'present',
      value,
    };
  },
};

/** The artist's display name in its lane; null if no source names it, so it is unresolved. */
export function nameOf(rows: ArtistRows): string | null {
  if (rows.subject.lane === 'catalog') return rows.one(catalogArtist)?.name ?? null;
  return (
    rows.one(performingEntity)?.name ??
    rows.one(spineArtistNamePublishedView)?.display ??
    aliasesOf(rows)[0] ??
    null
  );
}

function identityOf(rows: ArtistRows): Identity | null {
  const { lane, catalogArtistId, clusterId } = rows.subject;
  const name = nameOf(rows);
  if (name === null) return null;
  const known = lane === 'catalog' ? rows.one(catalogArtist) : null;
  return {
    catalogArtistId: lane === 'catalog' ? catalogArtistId : null,
    clusterId,
    resolvedVia: lane,
    name,
    realname: known?.realname ?? null,
    profile: known?.profile ?? null,
    urls: known?.urls ?? authorityUrls(rows),
    aliases: known?.aliases ?? aliasesOf(rows),
  };
}

const aliasesOf = (rows: ArtistRows): string[] =>
  sorted(
    rows.all(clusterAliasV1).map((row) => row.alias),
    ascending((alias) => alias),
  );

function authorityUrls(rows: ArtistRows): string[] {
  const ids = sorted(
    rows.all(clusterAuthorityIdsV1),
    descending((id) => id.confidence),
    ascending((id) => id.value),
    ascending((id) => id.scheme),
  );
  return [...new Set(ids.flatMap((id) => id.url ?? []))];
}
