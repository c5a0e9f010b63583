import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { radioPlayV1 } from '../../projections/contracts/seen/radio-play-v1.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { identityProjection } from '../../projections/models/identity/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { keyHeader, queryApp } from '../../test/support/query/app.ts';
import { CATALOG_ID, rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('.', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const { pool } = withDatabase();
let app: FastifyInstance;
let folder: string;
/** A consumer project with the package in its node_modules. */
let consumer: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'linernotes-package-'));
  consumer = path.join(folder, 'consumer');
  await installPackage(await pack());
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [
    rowsOf(catalogArtist, { name: 'Aphex Twin', slug: 'aphex-twin' }),
    rowsOf(artistIdentityBridge, {
      catalog_artist_id: CATALOG_ID,
      catalog_artist_id_count: 1,
      is_exact: true,
    }),
    rowsOf(performingEntity, { name: 'Aphex Twin', slug: 'aphex-twin', distinct_events: 40 }),
    rowsOf(artistMomentum, {}),
    rowsOf(radioPlayV1, {
      cluster_id: 'ab'.repeat(32),
      title: 'Xtal',
      played_at: '2019-06-30T12:00:00Z',
    }),
  ]);
  for (const projection of [identityProjection, artistProjection]) await rebuild(pool, projection, registry);
  app = await queryApp(pool);
  const { 'x-api-key': key } = await keyHeader(pool);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { ...process.env, NODE_OPTIONS: '', LINERNOTES_URL: url, LINERNOTES_KEY: key };
});
afterAll(async () => {
  await app?.close();
  await rm(folder, { recursive: true });
});

/** Packs a copy, so that no build output lands in the repository. Returns the tarball. */
async function pack(): Promise<string> {
  await run(process.execPath, [path.join(CLIENT, 'generate.ts')]);
  const copy = path.join(folder, 'client');
  await mkdir(copy);
  await symlink(MODULES, path.join(folder, 'node_modules'));
  for (const name of await readdir(CLIENT))
    if (!name.includes('.test.') && !['dist', 'node_modules'].includes(name))
      await cp(path.join(CLIENT, name), path.join(copy, name), { recursive: true });
  await run('npm', ['pack', '--offline', '--ignore-scripts=false', '--pack-destination', folder], {
    cwd: copy,
  });
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return path.join(folder, tarball ?? '');
}

async function installPackage(tarball: string): Promise<void> {
  const own = path.join(consumer, 'node_modules', '@linernotes', 'client');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types', 'undici-types'])
    await symlink(path.join(MODULES, name), path.join(consumer, 'node_modules', name));
  await writeFile(path.join(consumer, 'package.json'), '{"type":"module"}');
}

it('contains modules and types only', async () => {
  const own = path.join(consumer, 'node_modules', '@linernotes', 'client');
  const files = (await readdir(own, { recursive: true })).filter((name) => /\.\w+$/.test(name));
  const modules = (await readdir(CLIENT))
    .filter((name) => /^(?!.*\.test\.)(?!generate\.).*\.ts$/.test(name))
    .map((name) => name.replace(/\.ts$/, ''));
  const expected = [
    'README.md',
    'package.json',
    ...modules.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
  ];
  expect(files.sort()).toEqual(expected.sort());
});

it('works from plain JavaScript', async () => {
  await writeFile(
    path.join(consumer, 'call.js'),
    `import { createLinernotes, LinernotesError } from '@linernotes/client';
const linernotes = createLinernotes({ baseUrl: process.env.LINERNOTES_URL, key: process.env.LINERNOTES_KEY });
const dossier = await linernotes.get('/api/v2/artist/{key}', { params: { path: { key: 'aphex-twin' } } });
const error = await linernotes.get('/api/v2/artist/{key}', { params: { path: { key: 'catalog:45' } } }).catch((thrown) => thrown);
console.log(JSON.stringify([dossier.display, error instanceof LinernotesError, error.code]));
`,
  );
  const { stdout } = await run(process.execPath, ['call.js'], { cwd: consumer, env });
  expect(JSON.parse(stdout)).toEqual(['Aphex Twin', true, 'use_resolve_for_locator']);
});

/** Output of the examples in the README, in order. */
const OUTPUTS = [
  /^Aphex Twin: present\n$/,
  /^2019-06-30T12:00:00Z Xtal\n$/,
  /^use_resolve_for_locator: .+ https:\/\/api\.example\/api\/v2\/resolve\?catalog=45\n$/,
  /^standard\n$/,
  /^\d+\n$/,
];

it('runs the examples of its README, typed', async () => {
  const guide = await readFile(path.join(CLIENT, 'README.md'), 'utf8');
  const examples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(examples).toHaveLength(OUTPUTS.length);
  const files = examples.map((_code, index) => `example-${index}.ts`);
  for (const [index, code] of examples.entries())
    await writeFile(path.join(consumer, files[index] ?? ''), code);
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const compiler = path.join(MODULES, '.bin', 'tsc');
  const checked = run(compiler, [...strict, '--lib', 'esnext', ...files], { cwd: consumer });
  expect((await checked.catch(({ stdout }) => ({ stdout }))).stdout).toBe('');
  for (const [index, file] of files.entries()) {
    const { stdout } = await run(process.execPath, [file], { cwd: consumer, env });
    expect(stdout, file).toMatch(OUTPUTS[index] ?? /^$/);
  }
});
