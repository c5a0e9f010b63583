import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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

describe.each(guides)('%s', (guide) => {
  it('links only to existing targets', () => {
    const text = readFileSync(path.join(FOLDER, guide), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]*)(?:#[^)]*)?\)/g)) {
      if (target === '' || target.startsWith('http')) continue;
      expect(() => readdirSync(path.dirname(path.join(FOLDER, target))), target).not.toThrow();
      expect(readdirSync(path.dirname(path.join(FOLDER, target)))).toContain(path.basename(target));
    }
  });
});
