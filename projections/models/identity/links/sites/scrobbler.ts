import { linkSites } from '../../../shared/hosts.ts';
import { decoded } from '../../../shared/web-url.ts';
import { encodeName, spelledNames } from '../spelled-names.ts';
import type { Site } from './site.ts';

const LOCALE = /^[a-z]{2}$/;

/** `/music/First+Last` and its pages `/+albums`; a segment below without `+` is an album or a track. */
export const scrobbler: Site = {
  source: 'scrobbler',
  hosts: linkSites.scrobbler,
  read(page) {
    const { path } = page;
    let at = LOCALE.test(path[0] ?? '') ? 1 : 0;
    if (path[at] !== 'music') return null;
    at += path[at + 1] === '+noredirect' ? 2 : 1;
    const below = path[at + 1];
    const isPageOfSite = path[at]?.startsWith('+') ?? false;
    if (isPageOfSite || (below !== undefined && !below.startsWith('+'))) return null;
    const names = spelledNames(page, at, decodedTwice);
    const [name] = names;
    if (name === undefined) return null;
    return {
      kind: 'name',
      source: 'scrobbler',
      id: name,
      canonical_url: `${linkSites.scrobbler.origin}/music/${encoded(name)}`,
      names,
      note: 'The link contains a name and no id; the name was looked up.',
    };
  },
};

/** The site encodes reserved characters twice. */
const decodedTwice = (text: string): string => decoded(decoded(text));

const encoded = (name: string): string => encodeName(name).replaceAll('%25', '%2525').replaceAll('%20', '+');
