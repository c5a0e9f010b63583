/** The steps that end what a run started, however the run ends. */
export interface Cleanup {
  /** After the end of the run, the step runs immediately. */
  add(step: () => unknown): void;
  /** Runs every step, the last first. The others run even when one fails. */
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
