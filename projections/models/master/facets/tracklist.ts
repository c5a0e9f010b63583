import { type Static, Type } from '@sinclair/typebox';
import { catalogMaster } from '../../../contracts/catalog/master.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { MasterRows } from '../master-rows.ts';

const description = 'The tracks in their order.';

const Track = Type.Object({
  position: orNull(Type.String({ description: 'As printed on the release, as in A1.' })),
  title: Type.String(),
  durationS: orNull(Type.Integer({ minimum: 0, description: 'Whole seconds.' })),
});

export const tracklist: Facet<MasterRows, 'tracklist'> = {
  name: 'tracklist',
  sources: [catalogMaster],
  description,
  schema: Type.Array(Track, { description }),
  build(rows) {
    const { tracklist: given } = rows.master;
    const tracks = Array.isArray(given) ? given.flatMap(toTrack) : [];
    return { state: tracks.length > 0 ? 'present' : openState(rows, [catalogMaster]), value: tracks };
  },
};

/** The contract does not check the column's content, so a malformed track is dropped alone. */
function toTrack(item: unknown): Static<typeof Track>[] {
  if (typeof item !== 'object' || item === null) return [];
  const { position, title, duration_s: duration }: Readonly<Record<string, unknown>> = { ...item };
  if (typeof title !== 'string' || title.trim() === '') return [];
  return [{ position: textOf(position), title, durationS: wholeSeconds(duration) }];
}

function textOf(position: unknown): string | null {
  if (typeof position === 'number') return String(position);
  return typeof position === 'string' && position.trim() !== '' ? position : null;
}

const wholeSeconds = (duration: unknown): number | null =>
  typeof duration === 'number' && Number.isFinite(duration) && duration >= 0 ? Math.round(duration) : null;
