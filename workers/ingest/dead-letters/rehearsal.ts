import type { ClientBase } from 'pg';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { sources } from '../../../projections/sources/index.ts';
import type { MirrorState } from '../apply/fold.ts';
import { readStored, stateId } from '../apply/mirror.ts';
import type { Decoded, Truncate } from '../decode/envelope.ts';
import { isOfPastEpoch, type ReadLetter, type Verdict, verdictOf } from './verdict.ts';
import { keyOf, sortChanges, walk } from './walk.ts';

/** A replay that is only played through: what is stored, and what the replay itself would have written by now. */
export interface Rehearsal {
  readonly client: ClientBase;
  readonly registry: SourceRegistry;
  readonly epochOf: (source: Source) => number;
  /** By table, the version up to which changes have lost to a truncate. */
  readonly floors: Map<string, string>;
  /** The same of truncates that are only played through. */
  readonly raised: Map<string, string>;
  /** By key; null where nothing is stored. */
  readonly states: Map<string, MirrorState | null>;
}

interface SourceRow {
  readonly id: number;
  readonly name: string;
  readonly epoch: number;
  readonly floor: string | null;
}

export async function startRehearsal(client: ClientBase): Promise<Rehearsal> {
  const { rows } = await client.query<SourceRow>(
    'select id, name, epoch, truncated_version as floor from ingest.source',
  );
  const known = new Map(rows.map((row) => [row.name, row]));
  return {
    client,
    // A source that is not numbered yet has nothing stored, under whatever number.
    registry: { idOf: (source) => known.get(source.table)?.id ?? -1 - sources.indexOf(source) },
    epochOf: (source) => known.get(source.table)?.epoch ?? 0,
    floors: new Map(rows.flatMap(({ name, floor }) => (floor === null ? [] : [[name, floor]]))),
    raised: new Map(),
    states: new Map(),
  };
}

/** What would become of letters, the next ones in the order of the replay. */
export async function rehearse(rehearsal: Rehearsal, read: readonly ReadLetter[]): Promise<Verdict[]> {
  const { epochOf, states } = rehearsal;
  const current = read.filter(({ letter }) => !isOfPastEpoch(letter, epochOf));
  await readStates(rehearsal, current);
  const { byKey, truncates } = sortChanges(current);
  const taken = new Set<Decoded>(raiseFloors(rehearsal, truncates));
  const missing = new Map<Decoded, readonly string[]>();
  for (const changes of byKey.values()) {
    const [first] = changes;
    if (first === undefined) continue;
    const floor = floorOf(rehearsal, first.source);
    const walked = walk({ changes, before: stateOf(rehearsal, first), floor });
    for (const change of walked.taken) taken.add(change);
    for (const [change, columns] of walked.missing) missing.set(change, columns);
    states.set(keyOf(first), walked.state);
  }
  return read.map((one) => {
    const verdict = verdictOf(one, { taken, missing }, epochOf);
    const isOvertaken = verdict.outcome === 'open' && isOver(rehearsal, verdict, one, current);
    return isOvertaken ? { ...verdict, outcome: 'superseded' } : verdict;
  });
}

/** Forgets what would have been written, but for the last key. */
export function forgetAllButLast({ states }: Rehearsal): void {
  const last = [...states].at(-1);
  states.clear();
  if (last !== undefined) states.set(...last);
}

interface Keyed {
  readonly source: Source;
  readonly key: string;
}

const keyedOf = (decoded: Decoded): Keyed | null =>
  'key' in decoded && decoded.key !== null && decoded.source !== null
    ? { source: decoded.source, key: decoded.key }
    : null;

async function readStates(
  { client, registry, raised, states }: Rehearsal,
  read: readonly ReadLetter[],
): Promise<void> {
  const asked = new Map<string, Keyed>();
  for (const { decoded } of read) {
    const keyed = keyedOf(decoded);
    if (keyed !== null && !states.has(keyOf(keyed))) asked.set(keyOf(keyed), keyed);
  }
  const stored = await readStored(client, [...asked.values()], registry);
  for (const [id, { source, key }] of asked) {
    const state = stored.get(stateId(registry.idOf(source), key)) ?? null;
    states.set(id, withoutOlder(state, raised.get(source.table)));
  }
}

function raiseFloors(rehearsal: Rehearsal, truncates: readonly Truncate[]): Truncate[] {
  return truncates.filter(({ source, version }) => {
    const floor = floorOf(rehearsal, source);
    if (floor !== null && version <= floor) return false;
    rehearsal.floors.set(source.table, version);
    rehearsal.raised.set(source.table, version);
    for (const [id, state] of rehearsal.states)
      if (id.startsWith(keyOf({ source, key: '' }))) rehearsal.states.set(id, withoutOlder(state, version));
    return true;
  });
}

const floorOf = ({ floors }: Rehearsal, { table }: Source): string | null => floors.get(table) ?? null;

/** What a truncate leaves of a stored state. */
const withoutOlder = (state: MirrorState | null, truncate: string | undefined): MirrorState | null =>
  state !== null && truncate !== undefined && state.version < truncate ? null : state;

const stateOf = ({ states }: Rehearsal, keyed: Keyed): MirrorState | null => states.get(keyOf(keyed)) ?? null;

/** Whether a letter that is still at fault has been overtaken. */
function isOver(
  rehearsal: Rehearsal,
  { source, key, version }: Verdict,
  { letter, record }: ReadLetter,
  read: readonly ReadLetter[],
): boolean {
  if (source === null) return false;
  const floor = floorOf(rehearsal, source);
  if (version !== null && floor !== null && version <= floor) return true;
  if (key === null) return false;
  const state = stateOf(rehearsal, { source, key });
  if (version !== null && state !== null && version <= state.version) return true;
  return read.some(({ decoded, letter: { place }, record: { offset } }) => {
    const isAfter =
      place.topic === letter.place.topic &&
      place.partition === letter.place.partition &&
      offset >= record.offset;
    if (!isAfter || !('key' in decoded) || decoded.source !== source || decoded.key !== key) return false;
    if (decoded.kind === 'tombstone') return decoded.timestamp !== null && !version?.endsWith('0');
    return version === null && decoded.version !== null && decoded.version === state?.version;
  });
}
