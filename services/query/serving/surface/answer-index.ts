import type { Logger } from 'pino';
import { shareFor } from '../../../../projections/observe/share-for.ts';
import { isoSecond } from '../../../../projections/provenance.ts';
import type { QueryParts } from '../../parts.ts';
import type { SurfaceIndexBody } from '../../schemas/surface.ts';
import { presentNote } from './coverage-note.ts';
import { livenessOf, type Seen, UNSEEN } from './liveness.ts';
import { measureSurfaces } from './measure-surfaces.ts';
import { degradedReason } from './read-failure.ts';
import { declaredSurfaces } from './registry.ts';
import type { Switches } from './switches.ts';

/** Everybody who asks for the index within so long is told the same of how the surfaces stand. */
const MEASURED_FOR_MS = 5_000;

/**
 * Answers the registry index. It fails soft: while the surfaces cannot be looked at, what was last seen of them stands and
 * the state is `degraded`.
 */
export function indexAnswerer(
  { readPool, registry, now, log }: QueryParts,
  readSwitches: () => Promise<Switches>,
): () => Promise<SurfaceIndexBody> {
  const ids = declaredSurfaces.map(({ source }) => registry.idOf(source));
  const measure = shareFor(MEASURED_FOR_MS, () => measureSurfaces(readPool, ids), now);
  let seen: ReadonlyMap<number, Seen> = new Map();
  return async () => {
    const [measured, switches] = await Promise.all([softly(measure(), log), softly(readSwitches(), log)]);
    seen = measured ?? seen;
    const surfaces = declaredSurfaces.map(({ source, row }) => {
      const seenOf = seen.get(registry.idOf(source));
      return {
        ...row,
        enabled: switches === null || !(switches.areAllOff || switches.isOff(source.table)),
        liveness: seenOf === undefined ? UNSEEN : livenessOf(source, seenOf, now()),
        coverage_note: presentNote(row.coverage_note, seenOf),
      };
    });
    return {
      object: 'surface.index',
      state: measured === null || switches === null ? 'degraded' : 'present',
      surfaces,
      generated_at: isoSecond(now()),
    };
  };
}

/** Null where the read failed. @throws ApiError where asking again helps */
async function softly<T>(read: Promise<T>, log: Logger): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    log.warn({ err: error, reason: degradedReason(error) }, 'the index of surfaces is degraded');
    return null;
  }
}
