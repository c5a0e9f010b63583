import { constants, setPriority } from 'node:os';

/** Lets every other process have the processor first: for work that has all the time there is. */
export function stepBack(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where a system does not allow it, the work is as welcome as any other.
  }
}
