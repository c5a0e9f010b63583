import type { BuildOptions } from '../../workers/project/build-version.ts';
import { type Progress, startProgress } from './progress.ts';

export interface ShownBuild {
  readonly listeners: Required<Pick<BuildOptions, 'onProgress' | 'onCatchUp' | 'onPause' | 'onRetry'>>;
  /** Ends the bar, if there is one still. */
  end(): void;
}

/** Fewer marked documents are taken up in a moment. */
const WORTH_A_BAR = 5_000;

/** Shows how a build gets on: documents, then changes since, with rate and time left, and what it waits for. */
export function showBuild(projection: string): ShownBuild {
  let progress: Progress | null = null;
  let catchingUp: Progress | null = null;
  let before = 0;
  const say = (text: string) => process.stderr.write(`${projection}: ${text}\n`);
  return {
    listeners: {
      onProgress({ done, total }) {
        if (progress === null) progress = startProgress(`Projecting ${projection}`, total, 'documents', done);
        else progress.advance(done - before);
        before = done;
      },
      onCatchUp(left) {
        if (catchingUp === null && left >= WORTH_A_BAR) {
          progress?.stop();
          progress = null;
          catchingUp = startProgress(`Catching up ${projection}`, left, 'changes');
        } else if (left < before) catchingUp?.advance(before - left);
        before = left;
      },
      onPause: () => say(`the build is paused; to go on: npm run ops -- rebuild resume ${projection}`),
      onRetry: (error, waitMs) =>
        say(`the database is away, trying again in ${(waitMs / 1_000).toFixed(1)} s: ${error}`),
    },
    end() {
      progress?.stop();
      catchingUp?.stop();
      progress = null;
      catchingUp = null;
    },
  };
}
