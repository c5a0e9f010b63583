import type { ClientBase } from 'pg';
import { int2Array, int8Array, textArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import { violationsText } from './keep-dead-letters.ts';
import { classOf } from './letter-class.ts';
import type { Verdict } from './verdict.ts';

const SETTLE = `
  update ingest.dead_letter letter set
    state = verdict.state,
    settled_at = case when verdict.state <> 'open' then now() end,
    settled_by = case when verdict.state <> 'open' then $1 end,
    reason = verdict.reason,
    source = coalesce(verdict.source, letter.source),
    key = coalesce(verdict.key, letter.key),
    version = coalesce(verdict.version, letter.version),
    class = coalesce(verdict.class, letter.class),
    violations = coalesce(verdict.violations::jsonb, letter.violations)
  from unnest($2::int8[], $3::text[], $4::text[], $5::int2[], $6::text[], $7::text[], $8::text[], $9::text[])
    as verdict (id, state, reason, source, key, version, class, violations)
  where letter.id = verdict.id`;

/** Writes down what became of letters. One that stays open says what is wrong with it now. */
export async function settleReplayed(
  client: ClientBase,
  verdicts: readonly Verdict[],
  actor: string,
  why: string,
  registry: SourceRegistry,
): Promise<void> {
  const reasonOf = ({ outcome, isPast }: Verdict): string | null => {
    if (outcome === 'open') return null;
    if (outcome === 'replayed') return why;
    return isPast ? 'of an earlier epoch of its source' : 'older than what is stored';
  };
  await client.query({
    name: 'settle-replayed',
    text: SETTLE,
    values: [
      actor,
      int8Array(verdicts.map(({ id }) => id)),
      textArray(verdicts.map(({ outcome }) => outcome)),
      textArray(verdicts.map(reasonOf)),
      int2Array(verdicts.map(({ source }) => (source === null ? null : registry.idOf(source)))),
      textArray(verdicts.map(({ key }) => key)),
      textArray(verdicts.map(({ version }) => version)),
      textArray(verdicts.map(classNow)),
      textArray(
        verdicts.map(({ outcome, violations }) => (outcome === 'open' ? violationsText(violations) : null)),
      ),
    ],
  });
}

const classNow = ({ outcome, source, violations }: Verdict): string | null =>
  outcome === 'open' ? classOf(source, violations) : null;
