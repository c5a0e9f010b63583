import { Type } from '@sinclair/typebox';

export const LinkConfig = Type.Object({
  COVERARCHIVE_URL: Type.Optional(
    Type.String({
      description:
        'Mirror of the cover art archive in links. A change rebuilds the documents with such links.',
    }),
  ),
});

const DEFAULT_HOSTS = { coverarchive: 'https://coverartarchive.org' } as const;

const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '');

/** Third-party hosts of links in documents, by neutral name; `COVERARCHIVE_URL` sets a mirror. */
export const hosts = {
  coverarchive: withoutTrailingSlash(process.env.COVERARCHIVE_URL || DEFAULT_HOSTS.coverarchive),
} as const;

/** The hosts that are not the default. They are settings of every read model that links to them. */
export const changedHosts: Readonly<Record<string, string>> =
  hosts.coverarchive === DEFAULT_HOSTS.coverarchive ? {} : { coverarchive: hosts.coverarchive };
