import { expect, it } from 'vitest';
import { sources } from '../../projections/contracts/index.ts';
import { runOps } from '../../test/support/run-ops.ts';

async function run(...argv: string[]) {
  const { code, printed, complaints } = await runOps(...argv);
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n') };
}

it.each([
  [[], 'keys '],
  [['nonsense'], "unknown command 'nonsense'"],
  [['constructor'], "unknown command 'constructor'"],
  [['keys'], 'revoke <id>'],
  [['keys', 'forge'], "unknown command 'forge'"],
  [['keys', 'issue', '--colour', 'red'], "unknown option '--colour'"],
  [['keys', 'issue', '--environment', 'prod'], 'Allowed choices are live, test'],
  [['keys', 'issue', '--expires-days', '0'], '--expires-days'],
  [['keys', 'revoke'], "missing required argument 'id'"],
  [['sources', 'show'], "missing required argument 'table'"],
  [['migrate', 'down'], "too many arguments for 'migrate'"],
  [['sources', 'show', 'seen.unheard_of'], 'No source is called "seen.unheard_of"; see: sources list.'],
  [['sources', 'check', '/nowhere.ndjson'], 'there is no file /nowhere.ndjson'],
  [['sources', 'check', '/etc'], 'there is no file /etc'],
  [['sources', 'check', '/etc/passwd'], 'passwd is not named after a table as <schema>.<table>.ndjson'],
  [['load', '/dev/null'], 'null is not named after a table as <schema>.<table>.ndjson'],
  [['load', '/nowhere'], 'there is no file or folder /nowhere'],
  [['load', '/dev/null', '--source', 'seen.unheard_of'], 'null: no source is called "seen.unheard_of"'],
  [['surfaces', 'disable', 'seen.unheard_of', '--why', 'x'], 'no surface is called "seen.unheard_of"'],
  [['rebuild', 'unheard_of'], 'Allowed choices are artist'],
  [['jobs', 'run', 'unheard_of'], 'Allowed choices are'],
  [['keys', 'issue', '--tier', 'gold'], 'Allowed choices are'],
  [['keys', 'issue', '--label', 'two\nlines'], 'It must not contain control characters.'],
  [['versions', 'show', 'abc'], "error: <id> is 'abc'. It must be a whole number from 0 to 999999999."],
  [
    ['dead-letters', 'show', '99999999999999999999'],
    "error: <id> is '99999999999999999999'. It must be a whole number from 0 to 9007199254740991.",
  ],
])('prints the usage for %j and ends with exit code 2', async (argv, complaint) => {
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

it.each([[['--help']], [['help']], [['keys', '--help']], [['help', 'keys', 'rotate']], [['rebuild', '-h']]])(
  'prints the help for %j and ends with exit code 0',
  async (argv) => {
    const { code, printed, complaints } = await run(...argv);
    expect([code, complaints]).toEqual([0, '']);
    expect(printed).toMatch(/^Usage: npm run ops -- /);
  },
);
