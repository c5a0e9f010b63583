import type { BuildOptions } from '../../workers/project/build-version.ts';
import { type ProgressBar, startProgress } from './progress.ts';

export interface ShownBuild {
  readonly listeners: Required<Pick<BuildOptions, 'onProgress' | 'onCatchUp' | 'onPause' | 'onOutage'>>;
  /** Ends the bar, if it is still shown. */
  end(): void;
}

/** Fewer dirty documents are projected in a moment. */
const WORTH_A_BAR = 5_000;

/** Shows the progress of a build: documents, then changes since its start, with rate and time left, and pauses. */
export function showBuild(projection: string): ShownBuild {
  let progress: ProgressBar | null = null;
  let catchingUp: ProgressBar | null = null;
  let before = 0;
  const report = (text: string) => process.stderr.write(`${projection}: ${text}\n`);
  return {
    listeners: {
      onProgress({ done, total }) {
        if (progress === null)
          progress = startProgress(`Projecting ${projection}`, { total, unit: 'documents', from: done });
        else progress.advance(done - before);
        before = done;
      },
      onCatchUp(left) {
        if (catchingUp === null && left >= WORTH_A_BAR) {
          progress?.stop();
          progress = null;
          catchingUp = startProgress(`Catching up ${projection}`, { total: left, unit: 'changes' });
        } else if (left < before) catchingUp?.advance(before - left);
        before = left;
      },
      onPause: () => report(`the build is paused; to continue: npm run ops -- rebuild resume ${projection}`),
      onOutage: (error, waitMs) =>
        report(`the database is unavailable; next attempt in ${(waitMs / 1_000).toFixed(1)} s: ${error}`),
    },
    end() {
      progress?.stop();
      catchingUp?.stop();
      progress = null;
      catchingUp = null;
    },
  };
}
