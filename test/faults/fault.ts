import type { Random } from './random.ts';
import type { Stage } from './stage.ts';

/** One way in which something fails while events are on their way. */
export interface Fault {
  readonly name: string;
  strike(stage: Stage, random: Random): Promise<void>;
}

/** Histories sent at a time: some dozen events. */
export const SOME = 2;
export const MANY = 8;
