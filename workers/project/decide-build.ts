import type { Version } from '../../projections/engine/store/version.ts';

/** What a projector does about documents of other code: build and promote, build only, or log it. */
export type RebuildMode = 'promote' | 'build' | 'off';

export type BuildStep =
  | { readonly step: 'none' }
  | { readonly step: 'build'; readonly promote: boolean }
  /** Left to an operator. */
  | { readonly step: 'leave'; readonly why: string };

/** A version, and whether it is to be promoted when it is ready. */
export type DecidedVersion = Version & { readonly promoteWhenReady: boolean };

/**
 * Decides how a projection gets documents of this code. Decisions of an operator stay: a version that was rolled back
 * is not promoted again, and one that was built without promotion waits.
 *
 * @param own code version of this code
 */
export function decideBuild(versions: readonly DecidedVersion[], own: string, mode: RebuildMode): BuildStep {
  const live = versions.find(({ state }) => state === 'live');
  // Otherwise there is nothing to serve, whatever the mode.
  if (live === undefined) return { step: 'build', promote: true };
  if (live.codeVersion === own) return { step: 'none' };
  const mine = versions.find(({ codeVersion }) => codeVersion === own);
  const { projection } = live;
  if (mine?.state === 'previous')
    return {
      step: 'leave',
      why: `${projection} was rolled back to documents of other code; to return to those of this code: rollback ${projection}`,
    };
  if (mine?.state === 'ready' && !(mine.promoteWhenReady && mode === 'promote'))
    return {
      step: 'leave',
      why: `version ${mine.id} of ${projection} is ready and waits for promotion: promote ${projection}`,
    };
  if (mode === 'off')
    return {
      step: 'leave',
      why: `${projection} is served from documents of other code, which no projector keeps current: rebuild ${projection} --promote`,
    };
  return { step: 'build', promote: mode === 'promote' };
}
