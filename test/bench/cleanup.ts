/** What has to be undone when a run ends, however it ends. */
export interface Cleanup {
  /** Once the run has ended, the step is done at once. */
  add(step: () => unknown): void;
  /** Undoes everything, the last first. A step that fails does not keep the others from being done. */
  run(): Promise<void>;
}

export function collectCleanup(): Cleanup {
  const steps: (() => unknown)[] = [];
  let running: Promise<void> | null = null;
  const undo = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      process.stderr.write(`${error}\n`);
    }
  };
  const undoAll = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) await undo(step);
  };
  return {
    add(step) {
      if (running === null) steps.push(step);
      else void undo(step);
    },
    run() {
      running ??= undoAll();
      return running;
    },
  };
}
