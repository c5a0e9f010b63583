import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { schemaRegistry } from './schema-registry.ts';

/** Runs with a registry that has no schema. @returns the greatest number of requests at a time, and all of them */
async function withEmptyRegistry(ids: readonly number[]) {
  let open = 0;
  let most = 0;
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    open++;
    most = Math.max(most, open);
    setImmediate(() => {
      open--;
      response.writeHead(404).end('{"error_code":40403}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const registry = schemaRegistry({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await registry.resolve(ids);
    return { found: ids.map((id) => registry.find(id)), asked, most };
  } finally {
    server.close();
  }
}

it('does not ask for an id that no registry can have, which it would not understand', async () => {
  expect(await withEmptyRegistry([2 ** 31, 2 ** 32 - 1])).toMatchObject({
    found: ['unknown_schema', 'unknown_schema'],
    asked: [],
  });
});

it('asks for a few ids at a time, however many some records name', async () => {
  const ids = Array.from({ length: 300 }, (_, id) => id);
  const { found, asked, most } = await withEmptyRegistry(ids);
  expect([new Set(found), asked.length]).toEqual([new Set(['unknown_schema']), 300]);
  expect(most).toBeLessThanOrEqual(10);
});
