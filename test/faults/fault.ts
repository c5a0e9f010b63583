import type { SeededRandom } from './random.ts';
import type { FaultStage } from './stage.ts';

/** A failure that strikes while events are in flight. */
export interface Fault {
  readonly name: string;
  strike(stage: FaultStage, random: SeededRandom): Promise<void>;
}

/** Histories sent at a time: some dozen events. */
export const SOME = 2;
export const MANY = 8;
