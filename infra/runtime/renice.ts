import { constants, setPriority } from 'node:os';

/** Gives other processes precedence for the CPU: for work without a deadline. */
export function renice(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not every system allows it.
  }
}
