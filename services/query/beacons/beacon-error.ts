import { ApiError, type ErrorCode } from '../errors.ts';
import type { PayloadFaults } from '../schemas/search-events.ts';

/** What a beacon's refusal says beyond its code. */
interface BeaconContext {
  readonly details?: PayloadFaults;
  readonly skewMs?: number;
}

/** The refusal of a beacon, which has a body of its own form. */
export class BeaconError extends ApiError {
  readonly beacon: BeaconContext;

  constructor(code: ErrorCode, beacon: BeaconContext = {}) {
    super(code);
    this.beacon = beacon;
  }
}
