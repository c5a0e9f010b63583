import { int2Bytes, timestamptzBytes } from '../../../db/binary-values.ts';
import type { CopyValue } from '../../../db/copy-binary.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { decoderOf } from '../../../workers/ingest/decode/row-decoder.ts';
import { snapshotVersion } from '../../../workers/ingest/decode/version.ts';
import type { SourceRow } from './rows.ts';

/** Columns of `ingest.mirror` in the order of `MirrorCopy.mirror`. */
export const MIRROR_COLUMNS = '(source, key, subject, order_key, row, version, source_time, changed_time)';

/** When the rows are said to have been made, in milliseconds since 1970. */
const MADE_AT = Date.UTC(2019, 5, 30);

/** A row of a producer as it stands in the mirror, ready for COPY. */
export interface MirrorCopy {
  readonly sourceId: number;
  readonly key: string;
  readonly mirror: readonly CopyValue[];
  readonly links: readonly (readonly CopyValue[])[];
}

/** @throws Error where the row breaks its contract, which would be a fault of the generator */
export function mirrorCopy({ source, row }: SourceRow, registry: SourceRegistry): MirrorCopy {
  const decoded = decoderOf(source).decodeRow(row);
  if (decoded.violations !== null) throw new Error(`${source.table}: ${JSON.stringify(decoded.violations)}`);
  const { key, subject, orderKey, links } = decoded;
  const sourceId = registry.idOf(source);
  const id = int2Bytes(sourceId);
  const time = timestamptzBytes(MADE_AT);
  return {
    sourceId,
    key,
    mirror: [id, key, subject, orderKey, decoded.row, snapshotVersion(0, MADE_AT), time, time],
    links: [...new Set(links)].map((link) => [id, link, key]),
  };
}
