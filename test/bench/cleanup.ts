/** What has to be undone when a run ends, however it ends. */
export interface Cleanup {
  add(step: () => unknown): void;
  /** Undoes everything, the last first. A step that fails does not keep the others from being done. */
  run(): Promise<void>;
}

export function collectCleanup(): Cleanup {
  const steps: (() => unknown)[] = [];
  let running: Promise<void> | null = null;
  const undoAll = async (): Promise<void> => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      await Promise.resolve(step()).catch((error) => process.stderr.write(`${error}\n`));
    }
  };
  return {
    add: (step) => steps.push(step),
    run() {
      running ??= undoAll().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
