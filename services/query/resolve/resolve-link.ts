import { parseLink } from '../../../projections/models/identity/links/parse-link.ts';
import type {
  IdLink,
  PageLink,
  ParsedLink,
  WebsiteLink,
} from '../../../projections/models/identity/links/parsed-link.ts';
import { catalogKey, mbidKey, nameKey } from '../../../projections/models/identity/lookup-keys.ts';
import { pageKey } from '../../../projections/models/identity/pages.ts';
import type { OwnerLookup, OwnerResult } from '../../../projections/models/identity/read.ts';
import { idNote } from './id-note.ts';
import type { ResolveBody } from './schema.ts';

/** The artist of a pasted link and the members of the response that describe the match. */
export type LinkMatch = { readonly found: Pick<OwnerResult, 'identity'> } & Pick<
  ResolveBody,
  'matched_on' | 'note' | 'parsed'
>;

type Match = Omit<LinkMatch, 'parsed'>;

const SEVERAL = 'Several artists match this page equally well, so none was chosen.';
const SEVERAL_OF_NAME = 'Several artists match that name equally well, so none was chosen.';
const NOT_VERIFIED = 'The page is recorded for this artist but not verified.';
const CONFLICT =
  'The website is recorded for one artist, but the page has the name of another, so none was chosen.';

/** Finds the artist of a link from its URL and the index of pages. The link is never fetched. */
export async function resolveLink(link: ParsedLink, owner: OwnerLookup): Promise<LinkMatch> {
  const { source, kind, id, canonical_url } = link;
  return { ...(await matchLink(link, owner)), parsed: { source, kind, id, canonical_url } };
}

async function matchLink(link: ParsedLink, owner: OwnerLookup): Promise<Match> {
  switch (link.kind) {
    case 'id':
      return ofId(link, owner);
    case 'page':
      return ofPage(link, owner);
    case 'website':
      return ofWebsite(link, owner);
    case 'name':
      return byName(link.names, link.note, owner);
    case 'none':
      return unmatched(link.note);
  }
}

const unmatched = (note: string): Match => ({ found: { identity: null }, note });

async function ofId({ source, id }: IdLink, owner: OwnerLookup): Promise<Match> {
  const by = source === 'catalog' ? 'catalog' : 'mbid';
  const key = by === 'catalog' ? catalogKey(Number(id)) : mbidKey(id);
  const found = await owner(key);
  const note = await idNote({ by, lookupKey: key, found, owner });
  return {
    found,
    ...(found.identity === null ? {} : { matched_on: by }),
    ...(note === undefined ? {} : { note }),
  };
}

async function ofPage(link: PageLink, owner: OwnerLookup): Promise<Match> {
  const found = await owner(pageKey({ scheme: link.source, id: link.id }));
  if (found.identity === null) return unmatched(found.isAmbiguous ? SEVERAL : 'No artist has this page.');
  return matched(found, link.source);
}

const matched = (found: OwnerResult, on: string): Match => ({
  found,
  matched_on: on,
  ...(found.isUnverified ? { note: NOT_VERIFIED } : {}),
});

/**
 * Finds the artist of a website, or else the artist whose name is in the URL. A website may have pages of many artists, as
 * a label's has: if the path has the name of an artist other than the website's, no artist is chosen.
 */
async function ofWebsite(link: WebsiteLink, owner: OwnerLookup): Promise<Match> {
  const [site, named] = await Promise.all([
    owner(pageKey({ scheme: 'website', id: link.id })),
    firstOfName(link.names, owner),
  ]);
  const isNamed = named.identity !== null && hasNameInPath(link);
  if (site.isAmbiguous && !isNamed) return unmatched(SEVERAL);
  if (site.identity === null) return ofName(named, link.note);
  return isNamed && named.artist !== site.artist ? unmatched(CONFLICT) : matched(site, 'website');
}

/** Without a name in the path, the names are those of the host. */
function hasNameInPath({ is_front_page, names, canonical_url }: WebsiteLink): boolean {
  if (is_front_page) return false;
  const ofHost: readonly string[] = parseLink(canonical_url).names;
  return names.some((name) => !ofHost.includes(name));
}

async function byName(names: readonly string[], note: string, owner: OwnerLookup): Promise<Match> {
  return ofName(await firstOfName(names, owner), note);
}

function ofName(found: OwnerResult, note: string): Match {
  if (found.identity !== null) return { found, matched_on: 'name', note };
  return unmatched(`${note} ${found.isAmbiguous ? SEVERAL_OF_NAME : 'No artist has exactly that name.'}`);
}

const NOT_FOUND: OwnerResult = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

/** The first of the spellings, likeliest first, that is an artist's name. All are looked up concurrently. */
async function firstOfName(names: readonly string[], owner: OwnerLookup): Promise<OwnerResult> {
  const found = await Promise.all(names.map((name) => owner(nameKey(name))));
  return found.find(({ identity, isAmbiguous }) => identity !== null || isAmbiguous) ?? NOT_FOUND;
}
