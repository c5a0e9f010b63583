import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tasteSecrets } from './subject.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'taste-secrets-'));
  vi.stubEnv('LINERNOTES_HOME', home);
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('TASTE_SECRET', '');
  for (const name of ['one', 'two', 'without'])
    await mkdir(join(home, name, 'postgres'), { recursive: true });
  for (const name of ['one', 'two']) await writeFile(join(home, name, 'taste-secret'), `secret of ${name}\n`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

it('uses the secrets stored with the databases of this machine', async () => {
  expect((await tasteSecrets()).sort()).toEqual(['secret of one', 'secret of two']);
});

it('uses the configured secret', async () => {
  vi.stubEnv('TASTE_SECRET', 'set');
  expect(await tasteSecrets()).toEqual(['set']);
});

it('uses no local secret for another database, and fails without any', async () => {
  const lacking = 'set TASTE_SECRET to the secret of the taste service';
  vi.stubEnv('DATABASE_URL', 'postgres://elsewhere');
  await expect(tasteSecrets()).rejects.toThrow(lacking);
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('LINERNOTES_HOME', join(home, 'nowhere'));
  await expect(tasteSecrets()).rejects.toThrow(lacking);
});
