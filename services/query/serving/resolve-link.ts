import { catalogAddress, mbidAddress, nameAddress } from '../../../projections/identity/claims.ts';
import { parseLink } from '../../../projections/identity/links/parse-link.ts';
import type {
  IdLink,
  PageLink,
  ParsedLink,
  WebsiteLink,
} from '../../../projections/identity/links/parsed-link.ts';
import { pageAddress } from '../../../projections/identity/pages.ts';
import type { Found, OwnerLookup } from '../../../projections/identity/read.ts';
import type { ResolveBody } from '../schemas/resolve.ts';
import { idNote } from './id-note.ts';

/** What a pasted link came to. */
export type LinkAnswer = { readonly found: Pick<Found, 'identity'> } & Pick<
  ResolveBody,
  'matched_on' | 'note' | 'parsed'
>;

type Answer = Omit<LinkAnswer, 'parsed'>;

const SEVERAL = 'Several artists have an equal claim to this page, so that none was chosen.';
const SEVERAL_OF_NAME = 'Several artists have an equal claim to that name, so that none was chosen.';
const NOT_VERIFIED = 'The page is filed under this artist, but not verified.';
const TWO_WORDS =
  'The website is filed under one artist, but the page bears the name of another; none was chosen.';

/** The artist that a link leads to, as far as its address and the index of pages tell. */
export async function resolveLink(link: ParsedLink, owner: OwnerLookup): Promise<LinkAnswer> {
  const { source, kind, id, canonical_url } = link;
  return { ...(await answerOf(link, owner)), parsed: { source, kind, id, canonical_url } };
}

async function answerOf(link: ParsedLink, owner: OwnerLookup): Promise<Answer> {
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
      return nobody(link.note);
  }
}

const nobody = (note: string): Answer => ({ found: { identity: null }, note });

async function ofId({ source, id }: IdLink, owner: OwnerLookup): Promise<Answer> {
  const by = source === 'catalog' ? 'catalog' : 'mbid';
  const address = by === 'catalog' ? catalogAddress(Number(id)) : mbidAddress(id);
  const found = await owner(address);
  const note = idNote(by, address, found);
  return {
    found,
    ...(found.identity === null ? {} : { matched_on: by }),
    ...(note === undefined ? {} : { note }),
  };
}

async function ofPage(link: PageLink, owner: OwnerLookup): Promise<Answer> {
  const found = await owner(pageAddress({ scheme: link.source, id: link.id }));
  if (found.identity === null)
    return nobody(found.isAmbiguous ? SEVERAL : 'The page is filed under no artist.');
  return matched(found, link.source);
}

const matched = (found: Found, on: string): Answer => ({
  found,
  matched_on: on,
  ...(found.isUnverified ? { note: NOT_VERIFIED } : {}),
});

/**
 * Whose website it is; where it is nobody's, whose name the address bears. A page within a website may be one of many
 * people's, as on a label's, so that one whose path bears the name of another than the website's artist is nobody's.
 */
async function ofWebsite(link: WebsiteLink, owner: OwnerLookup): Promise<Answer> {
  const [site, named] = await Promise.all([
    owner(pageAddress({ scheme: 'website', id: link.id })),
    firstOfName(link.names, owner),
  ]);
  const isNamed = named.identity !== null && bearsNameInPath(link);
  if (site.isAmbiguous && !isNamed) return nobody(SEVERAL);
  if (site.identity === null) return ofName(named, link.note);
  return isNamed && named.artist !== site.artist ? nobody(TWO_WORDS) : matched(site, 'website');
}

/** Where the path says nothing, the names are those that the host itself gives. */
function bearsNameInPath({ is_front_page, names, canonical_url }: WebsiteLink): boolean {
  if (is_front_page) return false;
  const ofHost: readonly string[] = parseLink(canonical_url).names;
  return names.some((name) => !ofHost.includes(name));
}

async function byName(names: readonly string[], note: string, owner: OwnerLookup): Promise<Answer> {
  return ofName(await firstOfName(names, owner), note);
}

function ofName(found: Found, note: string): Answer {
  if (found.identity !== null) return { found, matched_on: 'name', note };
  return nobody(
    `${note} ${found.isAmbiguous ? SEVERAL_OF_NAME : 'No artist of exactly that name is known.'}`,
  );
}

const NOT_ASKED: Found = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

/** Of the spellings, likeliest first, the first that is anybody's name. They are asked for together. */
async function firstOfName(names: readonly string[], owner: OwnerLookup): Promise<Found> {
  const found = await Promise.all(names.map((name) => owner(nameAddress(name))));
  return found.find(({ identity, isAmbiguous }) => identity !== null || isAmbiguous) ?? NOT_ASKED;
}
