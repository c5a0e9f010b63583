import { hash } from 'node:crypto';
import type { Projection } from '../projection.ts';

/**
 * Identifies what makes the documents of a read model, as a stored version records it: the version that the model
 * declares, and a hash of its settings if any is not the default. `1`, or `1+ab12cd34`.
 */
export function codeVersion({ version, settings = {} }: Pick<Projection, 'version' | 'settings'>): string {
  const changed = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return changed.length === 0
    ? `${version}`
    : `${version}+${hash('sha256', JSON.stringify(changed)).slice(0, 8)}`;
}

/**
 * Whether this release makes the documents of a stored version, and so may write them.
 *
 * @param projection the read model of that name in this release; undefined if there is none
 */
export const isOwn = (
  version: { readonly projection: string; readonly codeVersion: string },
  projection: Projection | undefined,
): boolean => projection?.name === version.projection && codeVersion(projection) === version.codeVersion;

/** SQL: whether a row of `projection.version` is of this release. `$1` is `ownCodeVersions` as `text[]`. */
export const IS_OWN = `(projection || ' ' || code_version = any($1::text[]))`;

/** What `IS_OWN` compares, for each read model of this release. */
export const ownCodeVersions = (projections: readonly Projection[]): string[] =>
  projections.map((projection) => `${projection.name} ${codeVersion(projection)}`);
