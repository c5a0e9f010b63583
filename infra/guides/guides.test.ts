import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UNAVAILABLE } from '../../workers/ingest/dead-letters/dead-letter.ts';
import { REASONS } from '../../workers/ingest/decode/reason.ts';
import { dispatch } from '../ops/dispatch.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.join(FOLDER, '../..');
const BLOCK = /^```console\n(?<content>.*?)^```$/gms;
const COMMAND = '$ npm run ops -- ';

interface Session {
  readonly guide: string;
  readonly command: string;
  readonly output: string;
}

/** The commands that guides show with their output. */
function sessionsOf(guide: string): Session[] {
  const text = readFileSync(path.join(FOLDER, guide), 'utf8');
  const blocks = [...text.matchAll(BLOCK)].map((match) => match.groups?.content ?? '');
  return blocks.flatMap((block) =>
    block
      .split(/^(?=\$ )/m)
      .map((session) => session.trimEnd().split('\n'))
      .map(([first = '', ...lines]) => ({ guide, command: first, output: lines.join('\n') })),
  );
}

const guides = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

describe.each(guides.flatMap(sessionsOf))('$guide: $command', ({ command, output }) => {
  it('prints what the guide says', async () => {
    expect(command.startsWith(COMMAND)).toBe(true);
    const lines: string[] = [];
    const take = (line: string) => lines.push(line);
    const argv = command.slice(COMMAND.length).split(' ');
    await dispatch(
      argv.map((word) => (word.startsWith('infra/') ? path.join(ROOT, word) : word)),
      take,
      take,
    );
    expect(lines.join('\n')).toBe(output);
  });
});

/** As GitHub and the API's pages make them. */
const anchorsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .trim()
      .replaceAll(/\s+/g, '-'),
  );

describe.each(guides)('%s', (guide) => {
  it('links only to existing targets', () => {
    const text = readFileSync(path.join(FOLDER, guide), 'utf8');
    for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      if (target.startsWith('http')) continue;
      if (anchor !== undefined) expect(anchorsOf(path.join(FOLDER, target || guide))).toContain(anchor);
      if (target === '') continue;
      expect(() => readdirSync(path.dirname(path.join(FOLDER, target))), target).not.toThrow();
      expect(readdirSync(path.dirname(path.join(FOLDER, target)))).toContain(path.basename(target));
    }
  });
});

it('explains every reason of dead letters to producers', () => {
  const text = readFileSync(path.join(FOLDER, 'producers.md'), 'utf8');
  const [, section = ''] = text.split('\n## Invalid records\n');
  const table = section.split('\n## ')[0] ?? '';
  expect([...REASONS, UNAVAILABLE].filter((reason) => !table.includes(`\`${reason}\``))).toEqual([]);
});
