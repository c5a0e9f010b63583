import { subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Row } from '../sources/contract.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { SubjectRows } from '../subject-rows.ts';

type EmergenceTier = Row<typeof artistMomentum>['emergence_tier'];

/**
 * The mirror rows of one festival, and how the artists of its line-ups fare. Momentum rows are about artists: none is
 * about the festival, so its provenance states no time of theirs, and what moves in them beside the tier rewrites nothing.
 */
export class FestivalRows extends SubjectRows {
  readonly #momentum: MirrorRows;

  constructor(key: SubjectRef, rows: MirrorRows, momentum: MirrorRows) {
    super(rows, { festival: key });
    this.#momentum = momentum;
  }

  /** Null where no momentum row speaks of the artist. */
  emergenceTier(clusterId: string): EmergenceTier | null {
    return this.#momentum.one(artistMomentum, subjectRef('artist', clusterId))?.emergence_tier ?? null;
  }
}
