import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerSources } from '../../../../projections/engine/registry.ts';
import type { SearchDocument } from '../../../../projections/models/search/document.ts';
import { newestGeneration } from '../../../../projections/models/search/generation.ts';
import { CLUSTER_FORMAT, openCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import { searchProjection } from '../../../../projections/models/search/project.ts';
import { splitWords } from '../../../../projections/models/search/words.ts';
import { clusterEngine } from '../../../../services/query/search/cluster/cluster-engine.ts';
import { searchQuery } from '../../../../services/query/search/query.ts';
import { rebuild } from '../../../../test/support/projections/rebuild.ts';
import { changesTo, writeChanges } from '../../../../test/support/search/write-changes.ts';
import { withDatabase } from '../../../../test/support/services/database.ts';
import { withOpenSearch } from '../../../../test/support/services/with-opensearch.ts';
import { keepGeneration } from '../keep-generation.ts';
import { applyChanges } from './apply-changes.ts';
import { clusterStore, type WritableCluster } from './cluster-store.ts';
import { followChanges } from './follow-changes.ts';
import { sendDocuments } from './send-documents.ts';

const { pool } = withDatabase();
const openSearch = withOpenSearch();
const { signal } = new AbortController();
const log = pino({ level: 'silent' });
let cluster: WritableCluster;

function titled(master_id: number, title: string): SearchDocument {
  const words = { words: splitWords(title).words.join(' '), further: '' };
  return {
    row: {
      master_id,
      title,
      artist: 'Somebody',
      year: null,
      cube_quadrant: null,
      owner_count: null,
      dj_count: null,
      critic_count: null,
      formats: [],
      artist_cluster_id: null,
    },
    genres: [],
    styles: [],
    country: null,
    labels: [],
    title: words,
    artist: { words: 'somebody', further: '' },
  };
}

const keep = (force = false) => keepGeneration(pool, { force, store: clusterStore(cluster) });

async function apply(): Promise<number | null> {
  const client = await pool.connect();
  try {
    return await applyChanges(client, cluster);
  } finally {
    client.release();
  }
}

const idsFor = async (q: string, isUpToDate = false): Promise<number[]> => {
  const query = searchQuery(q, {}, { offset: 0, limit: 100 });
  const { rows } = await clusterEngine({ cluster, pool }).search(query, { signal, isUpToDate });
  return rows.map(({ master_id }) => master_id);
};

const indexes = async (): Promise<string[]> =>
  Object.keys((await cluster.client.indices.get({ index: cluster.pattern })).body).sort();
const served = async (): Promise<string[]> =>
  Object.keys((await cluster.client.indices.getAlias({ name: cluster.alias })).body);

beforeAll(async () => {
  cluster = openSearch.connect();
  await rebuild(pool, searchProjection, await registerSources(pool));
});

describe('generations in a search cluster', () => {
  it('do not exist before the first is built', async () => {
    await expect(idsFor('one')).rejects.toMatchObject({ code: 'not_ready' });
    expect(await apply()).toBeNull();
  });

  it('take changes, and are not replaced because of them', async () => {
    await writeChanges(pool, changesTo([titled(1, 'One'), titled(2, 'Two')]));
    expect(await keep()).toMatchObject({ why: 'no generation exists', built: { id: 1, documents: 2 } });
    expect(await idsFor('one')).toEqual([1]);
    await writeChanges(pool, [
      { id: 1, document: null },
      { id: 2, document: titled(2, 'Second') },
    ]);
    expect(await apply()).toBe(2);
    expect(await apply()).toBe(0);
    expect([await idsFor('one'), await idsFor('two'), await idsFor('second')]).toEqual([[], [], [2]]);
    expect(await keep()).toEqual({ why: null, built: null, dropped: 0 });
  });

  it('never go back to an older version, whatever arrives last', async () => {
    const target = { cluster, index: cluster.indexOf(1) };
    async function* late() {
      yield { id: 1, document: titled(1, 'Revived'), version: 0 };
      yield { id: 2, document: titled(2, 'Older'), version: 0 };
      yield { id: 9, document: null, version: 1 };
    }
    await sendDocuments(target, late());
    await cluster.client.indices.refresh({ index: target.index });
    expect([await idsFor('revived'), await idsFor('older'), await idsFor('second')]).toEqual([[], [], [2]]);
  });

  it('include what changed while they were built', async () => {
    const store = clusterStore(cluster);
    await keepGeneration(pool, {
      force: true,
      store: {
        ...store,
        async serve(client, id) {
          await writeChanges(pool, changesTo([titled(3, 'Meanwhile')]));
          await store.serve(client, id);
        },
      },
    });
    expect(await idsFor('meanwhile')).toEqual([3]);
    expect(await served()).toEqual([cluster.indexOf(2)]);
  });

  it('are served by the next run if one breaks off after publishing, and dropped when replaced', async () => {
    const store = clusterStore(cluster);
    const broken = { ...store, serve: () => Promise.reject(new Error('broke off')) };
    await expect(keepGeneration(pool, { force: true, store: broken })).rejects.toThrow('broke off');
    expect(await served()).toEqual([cluster.indexOf(2)]);
    await pool.query(`update search.generation set retired_at = now() - interval '1 hour' where id < 3`);
    expect(await keep()).toMatchObject({ built: null, dropped: 2 });
    expect([await served(), await indexes()]).toEqual([[cluster.indexOf(3)], [cluster.indexOf(3)]]);
    const { rows } = await pool.query('select from search.change');
    expect(rows).toEqual([]);
  });

  it('are rebuilt when the cluster lost them', async () => {
    await cluster.client.indices.delete({ index: cluster.indexOf(3) });
    await expect(idsFor('second')).rejects.toMatchObject({ code: 'not_ready' });
    expect(await keep()).toMatchObject({ why: 'the newest generation is lost', built: { id: 4 } });
    expect(await idsFor('second')).toEqual([2]);
  });

  it('leave generations in tables alone', async () => {
    await keepGeneration(pool, { force: true });
    expect((await newestGeneration(pool))?.id).toBe(5);
    expect((await newestGeneration(pool, CLUSTER_FORMAT))?.id).toBe(4);
    expect(await keep()).toEqual({ why: null, built: null, dropped: 0 });
    expect(await idsFor('second')).toEqual([2]);
  });
});

/** The node that manages the cluster, and the other one. */
async function nodesByRole() {
  const nodes = openSearch.nodes();
  const response = await fetch(`${nodes[0]?.url}/_cat/nodes?format=json&h=http,cluster_manager`);
  const rows = (await response.json()) as { readonly http: string; readonly cluster_manager: string }[];
  const managing = rows.find((row) => row.cluster_manager === '*')?.http ?? '';
  const manager = nodes.find(({ url }) => url.endsWith(managing));
  const other = nodes.find(({ url }) => !url.endsWith(managing));
  if (manager === undefined || other === undefined) throw new Error('the cluster has no manager');
  return { manager, other };
}

describe('a cluster that loses a node', () => {
  it('loses no search, and takes changes unless it was the manager', async () => {
    await writeChanges(pool, changesTo([titled(4, 'Lasting')]));
    const { manager, other } = await nodesByRole();
    const following = followChanges({ pool, cluster, log });
    const ending = new AbortController();
    let searches = 0;
    const search = async () => {
      while (!ending.signal.aborted) {
        expect(await idsFor('lasting')).toEqual([4]);
        searches++;
      }
    };
    const findsMore = async () => {
      const before = searches;
      await expect.poll(() => searches).toBeGreaterThan(before + 20);
    };
    try {
      expect(await idsFor('lasting', true)).toEqual([4]);
      const searching = Promise.all([search(), search(), search(), search()]);
      // Its failure is the result of the test, below.
      searching.catch(() => ending.abort());
      await other.kill();
      await findsMore();
      await writeChanges(pool, changesTo([titled(5, 'Later')]));
      await expect.poll(() => idsFor('later')).toEqual([5]);
      await other.start();
      await cluster.client.cluster.health(
        { wait_for_status: 'green', timeout: '30s' },
        { requestTimeout: 35_000 },
      );
      await findsMore();
      await manager.kill();
      await findsMore();
      ending.abort();
      await searching;
    } finally {
      ending.abort();
      await following.stop();
    }
  });
});

describe('without any node', () => {
  it('searches are unavailable', async () => {
    for (const node of openSearch.nodes()) await node.kill();
    await expect(idsFor('lasting')).rejects.toMatchObject({
      code: 'database_unavailable',
      message: 'The search cluster cannot be reached.',
    });
  });

  it('a search fails in time if the cluster is silent', async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const other = openCluster({ SEARCH_URL: `http://127.0.0.1:${port}`, SEARCH_PREFIX: 'test' }, 100);
    if (other === null) throw new Error('the cluster has no address');
    const query = searchQuery('lasting', {}, { offset: 0, limit: 1 });
    const engine = clusterEngine({ cluster: other, pool });
    await expect(engine.search(query, { signal, isUpToDate: false })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    silent.closeAllConnections();
    silent.close();
    await engine.stop();
    await engine.stop();
  });

  it('a search ends with its request', async () => {
    const query = searchQuery('lasting', {}, { offset: 0, limit: 1 });
    const reason = new Error('the client left');
    const ending = new AbortController();
    const leaving = clusterEngine({ cluster, pool }).search(query, {
      signal: ending.signal,
      isUpToDate: false,
    });
    ending.abort(reason);
    await expect(leaving).rejects.toBe(reason);
  });
});
