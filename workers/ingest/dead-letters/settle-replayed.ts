import type { ClientBase } from 'pg';
import { int2Array, int8Array, textArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { classOf } from './dead-letter.ts';
import type { ReplayOutcome } from './replay-outcome.ts';
import { violationsText } from './store-dead-letters.ts';

const SETTLE = `
  update ingest.dead_letter dead set
    state = outcome.state,
    settled_at = case when outcome.state <> 'open' then now() end,
    settled_by = case when outcome.state <> 'open' then $1 end,
    reason = outcome.reason,
    source = coalesce(outcome.source, dead.source),
    key = coalesce(outcome.key, dead.key),
    version = coalesce(outcome.version, dead.version),
    class = coalesce(outcome.class, dead.class),
    violations = coalesce(outcome.violations::jsonb, dead.violations)
  from unnest($2::int8[], $3::text[], $4::text[], $5::int2[], $6::text[], $7::text[], $8::text[], $9::text[])
    as outcome (id, state, reason, source, key, version, class, violations)
  where dead.id = outcome.id`;

/** For the audit: who replays and why. */
export interface Settlement {
  readonly actor: string;
  readonly why: string;
}

/** Stores the outcomes of a replay. A dead letter that stays open gets its current violations. */
export async function settleReplayed(
  client: ClientBase,
  outcomes: readonly ReplayOutcome[],
  registry: SourceRegistry,
  { actor, why }: Settlement,
): Promise<void> {
  const reasonOf = ({ state, isOfPastEpoch }: ReplayOutcome): string | null => {
    if (state === 'open') return null;
    if (state === 'replayed') return why;
    return isOfPastEpoch ? 'of an earlier epoch of its source' : 'older than the stored row';
  };
  const classNow = ({ state, source, violations }: ReplayOutcome): string | null =>
    state === 'open' ? classOf(source, violations) : null;
  const violationsNow = ({ state, violations }: ReplayOutcome): string | null =>
    state === 'open' ? violationsText(violations) : null;
  await client.query({
    name: 'settle-replayed',
    text: SETTLE,
    values: [
      actor,
      int8Array(outcomes.map(({ id }) => id)),
      textArray(outcomes.map(({ state }) => state)),
      textArray(outcomes.map(reasonOf)),
      int2Array(outcomes.map(({ source }) => (source === null ? null : registry.idOf(source)))),
      textArray(outcomes.map(({ key }) => key)),
      textArray(outcomes.map(({ version }) => version)),
      textArray(outcomes.map(classNow)),
      textArray(outcomes.map(violationsNow)),
    ],
  });
}
