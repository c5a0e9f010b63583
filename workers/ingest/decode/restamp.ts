import type { Source } from '../../../projections/sources/contract.ts';
import type { Decoded } from './envelope.ts';
import { withEpoch } from './version.ts';

/** What a record would have been decoded to with these epochs: nothing but its version depends on them. */
export function restamp(decoded: Decoded, epochOf: (source: Source) => number): Decoded {
  switch (decoded.kind) {
    case 'upsert':
    case 'delete':
    case 'tombstone':
    case 'truncate':
      return { ...decoded, version: withEpoch(decoded.version, epochOf(decoded.source)) };
    default:
      return decoded;
  }
}
