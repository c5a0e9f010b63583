import type { Source } from '../../../projections/contracts/contract.ts';
import { fromCloudEvent, isCloudEvent } from './cloud-event.ts';
import type { Unwrapped } from './connect-schema.ts';
import { fromFlattened, isFlattened, type MetadataHeaders } from './flattened.ts';
import { isRecord } from './message.ts';

/** The value of a change in Debezium's envelope, whatever the connector has made of it. */
export function envelopeOf(
  source: Source,
  value: Unwrapped | null,
  headers: MetadataHeaders,
): Unwrapped | null {
  const payload = value?.payload;
  // Only the envelope has an object there. It is by far the most frequent form.
  if (isRecord(payload) && isRecord(payload.source)) return value;
  // Its reason says more than a row without columns would.
  if (value?.unreadable !== undefined) return value;
  if (isCloudEvent(payload)) return fromCloudEvent(source, payload, value as Unwrapped);
  return isFlattened(payload, headers) ? fromFlattened(source, value, headers) : value;
}
