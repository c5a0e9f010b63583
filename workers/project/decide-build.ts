import type { Version } from '../../projections/store/version.ts';

/** What a projector does about documents of other code: builds and promotes, builds only, or says so. */
export type RebuildMode = 'promote' | 'build' | 'off';

export type BuildStep =
  | { readonly step: 'none' }
  | { readonly step: 'build'; readonly promote: boolean }
  /** Left to an operator, who is told why. */
  | { readonly step: 'leave'; readonly why: string };

/** A version, and whether whoever began it wants it to be live. */
export type DecidedVersion = Version & { readonly promoteWhenReady: boolean };

/**
 * What is to be done for a projection's documents to be those of this code. What an operator has decided is let be: a
 * version that was rolled back stays so, and one that was built to be looked at waits for a word.
 *
 * @param fingerprint of this code
 */
export function decideBuild(
  versions: readonly DecidedVersion[],
  fingerprint: string,
  mode: RebuildMode,
): BuildStep {
  const live = versions.find(({ state }) => state === 'live');
  // Without documents there is nothing to serve, whatever the mode.
  if (live === undefined) return { step: 'build', promote: true };
  if (live.fingerprint === fingerprint) return { step: 'none' };
  const own = versions.find((version) => version.fingerprint === fingerprint);
  const { projection } = live;
  if (own?.state === 'previous')
    return {
      step: 'leave',
      why: `${projection} was rolled back to documents of other code; to go on with those of this: rollback ${projection}`,
    };
  if (own?.state === 'ready' && !(own.promoteWhenReady && mode === 'promote'))
    return {
      step: 'leave',
      why: `version ${own.id} of ${projection} is ready and waits: promote ${projection}`,
    };
  if (mode === 'off')
    return {
      step: 'leave',
      why: `${projection} is served from documents of other code, which nothing renews: rebuild ${projection} --promote`,
    };
  return { step: 'build', promote: mode === 'promote' };
}
