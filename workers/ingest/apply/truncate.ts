import type { ClientBase } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { compareVersions } from '../decode/compare-versions.ts';
import type { Decoded, Truncate } from '../decode/envelope.ts';
import type { SourceState } from './epochs.ts';
import type { Outcome, Outcomes } from './record-counts.ts';

export interface TruncateResult {
  /** The version of a source's newest truncate; null without one. */
  floorOf(source: Source): string | null;
  /** The truncates that were newer than all before. */
  readonly truncated: readonly Truncate[];
  /** How each truncate ended. */
  readonly outcomes: Outcomes;
  /** The subjects of the removed rows. */
  readonly removed: readonly {
    readonly source: Source;
    readonly refs: readonly SubjectRef[];
  }[];
}

/** Removes all rows of truncated sources that are older than the truncate. */
export async function applyTruncates(
  client: ClientBase,
  registry: SourceRegistry,
  options: {
    readonly truncates: readonly Truncate[];
    readonly sourceStates: ReadonlyMap<Source, SourceState>;
  },
): Promise<TruncateResult> {
  const { truncates, sourceStates } = options;
  const removed: { source: Source; refs: SubjectRef[] }[] = [];
  const truncated: Truncate[] = [];
  const outcomes = new Map<Decoded, Outcome>();
  const raised = new Map<Source, string>();
  const floorOf = (source: Source) => raised.get(source) ?? sourceStates.get(source)?.floor ?? null;
  for (const truncate of truncates) {
    const { source, version } = truncate;
    const floor = floorOf(source);
    const order = floor === null ? 1 : compareVersions(version, floor);
    if (order <= 0) {
      outcomes.set(truncate, order === 0 ? 'equal' : 'older');
      continue;
    }
    outcomes.set(truncate, 'applied');
    raised.set(source, version);
    truncated.push(truncate);
    const id = registry.idOf(source);
    await client.query('update ingest.source set truncated_version = $2 where id = $1', [id, version]);
    removed.push({ source, refs: await removeOlder(client, truncate, id) });
  }
  return { floorOf, truncated, outcomes, removed };
}

async function removeOlder(
  client: ClientBase,
  { source, version }: Truncate,
  id: number,
): Promise<SubjectRef[]> {
  const { rows: links } = await client.query<{ subject: SubjectRef }>(
    `delete from ingest.link using ingest.mirror
     where link.source = $1 and mirror.source = $1 and mirror.key = link.key
       and ingest.compare_versions(mirror.version, $2) < 0
     returning link.subject`,
    [id, version],
  );
  const { rows } = await client.query<{ subject: string }>(
    `delete from ingest.mirror where source = $1 and ingest.compare_versions(version, $2) < 0 returning subject`,
    [id, version],
  );
  const refs = new Set(links.map((link) => link.subject));
  for (const { subject } of rows) refs.add(`${source.subject.kind}:${subject}`);
  return [...refs];
}
