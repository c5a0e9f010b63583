import { parseArgs } from 'node:util';
import { registerSources } from '../../projections/registry.ts';
import { sourceByTable } from '../../projections/sources/index.ts';
import { raiseEpoch } from '../../workers/ingest/apply/raise-epoch.ts';
import { type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';

/** Shows the epoch of a source, or raises it for a reason. */
export async function epoch(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { raise: { type: 'boolean', default: false }, why: { type: 'string' } },
    allowPositionals: true,
  });
  const [table, ...more] = positionals;
  if (table === undefined || more.length > 0) throw usageError('name one table');
  const reason = values.why?.trim();
  if (values.raise && !reason) throw usageError('--raise needs a reason: --why TEXT');
  if (!values.raise && values.why !== undefined) throw usageError('--why goes with --raise');
  const source = sourceByTable.get(table);
  if (source === undefined) throw new Error(`no source is called "${table}"; see: sources list`);
  const now = await withPool(async (pool) => {
    const registry = await registerSources(pool);
    return reason
      ? raiseEpoch(pool, registry, source, { actor: operator(), reason })
      : registry.epochOf(source);
  });
  print(`${table} is in epoch ${now}`);
}
