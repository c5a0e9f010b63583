import { linkSites } from '../../../shared/hosts.ts';
import { idLink, type NameLink } from '../parsed-link.ts';
import { encodeName, spelledNames } from '../spelled-names.ts';
import type { Site } from './site.ts';

const LOCALE = /^[a-z]{2}(?:[-_][a-z]{2})?$/i;
const ID = /^(\d+)(?:-|$)/;
const { origin } = linkSites.catalog;

/** `/artist/45-Name`, `/de/artist/45`; also `/artist/Name` of old URLs. */
export const catalog: Site = {
  source: 'catalog',
  hosts: linkSites.catalog,
  read(page) {
    const { segments } = page;
    const start = LOCALE.test(segments[0] ?? '') ? 1 : 0;
    if (segments[start] !== 'artist') return null;
    const names = spelledNames(page, start + 1);
    const digits = ID.exec(names.at(-1) ?? '')?.[1];
    if (digits === undefined) return segments.length > start + 2 ? null : byName(names);
    const id = Number(digits);
    return id > 0 && Number.isSafeInteger(id) ? idLink('catalog', `${id}`, artistUrl(`${id}`)) : null;
  },
};

function byName(names: readonly string[]): NameLink | null {
  const [name] = names;
  if (name === undefined) return null;
  return {
    kind: 'name',
    source: 'catalog',
    id: name,
    canonical_url: artistUrl(encodeName(name)),
    names,
    note: 'The link contains a name instead of a catalogue id; the name was looked up.',
  };
}

const artistUrl = (key: string): string => `${origin}/artist/${key}`;
