import { expect, it } from 'vitest';
import { sources } from '../../projections/sources/index.ts';
import { runOps } from '../../test/run-ops.ts';

async function run(...argv: string[]) {
  const { code, printed, complaints } = await runOps(...argv);
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n') };
}

it.each([
  [[], 'keys issue'],
  [['nonsense'], 'There is no command "nonsense"'],
  [['constructor'], 'There is no command "constructor"'],
  [['keys'], 'keys revoke ID'],
  [['keys', 'forge'], 'keys does not know "forge"'],
  [['keys', 'issue', '--colour', 'red'], '--colour'],
  [['keys', 'issue', '--environment', 'prod'], 'live or test'],
  [['keys', 'issue', '--expires-days', '0'], '--expires-days'],
  [['keys', 'revoke'], 'takes one id'],
  [['sources', 'show'], 'name one table'],
  [['migrate', 'down'], "'down'"],
])('answers %j with the usage and exit code 2', async (argv, complaint) => {
  const { code, printed, complaints } = await run(...argv);
  expect(code).toBe(2);
  expect(printed).toBe('');
  expect(complaints).toContain(complaint);
  expect(complaints).toContain('Usage:');
});

it('lists every source under a line of column names', async () => {
  const { code, printed } = await run('sources', 'list');
  expect(code).toBe(0);
  expect(printed.split('\n').map((line) => line.split('\t')[0])).toEqual([
    'table',
    ...sources.map(({ table }) => table),
  ]);
});

it('shows one source as JSON, its columns with type and null', async () => {
  const { code, printed } = await run('sources', 'show', 'seen.festival');
  expect(code).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({
    table: 'seen.festival',
    staleAfterSeconds: 14 * 86_400,
    columns: { aliases: { type: 'text[]', nullable: false }, country: { type: 'text', nullable: true } },
  });
});

it('fails without the usage where the request is sound but cannot be met', async () => {
  const { code, printed, complaints } = await run('sources', 'show', 'seen.unheard_of');
  expect(code).toBe(1);
  expect(printed).toBe('');
  expect(complaints).toContain('seen.unheard_of');
  expect(complaints).not.toContain('Usage:');
});
