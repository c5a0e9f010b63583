import { artistSlug, clusterIdOf } from '../data/artist.ts';
import { randomOf } from '../data/random.ts';
import { handleJobs } from './handle-jobs.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

export interface HttpLoad {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Numbers of the artists that are asked for. */
  readonly artists: number;
  readonly by: 'cluster' | 'slug';
  readonly headers: Readonly<Record<string, string>>;
  /** The ETag to send for each of the first artists; only those are asked for. */
  readonly etags: readonly string[] | null;
  readonly expectedStatus: number;
  readonly seed: number;
}

export interface LoadResult {
  /** How long each request took, in milliseconds. */
  readonly latencies: Float64Array;
  readonly perSecond: number;
  /** Mean length of a body on the wire. */
  readonly bodyBytes: number;
  /** Share of one processor that the generator took. */
  readonly busy: number;
}

const keys: Record<HttpLoad['by'], string[]> = { cluster: [], slug: [] };

/** Made once, so that they cost nothing while the load runs. */
function keysOf(by: HttpLoad['by'], artists: number): readonly string[] {
  const make = by === 'cluster' ? clusterIdOf : artistSlug;
  for (let index = keys[by].length; index < artists; index++) keys[by].push(make(index));
  return keys[by];
}

function requestMaker({ by, artists, headers, etags, seed }: HttpLoad): () => string {
  const names = keysOf(by, artists);
  const random = randomOf(seed, 0);
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const tail = ` HTTP/1.1\r\n${lines.join('')}`;
  return () => {
    const index = random.whole(0, (etags?.length ?? artists) - 1);
    const condition = etags === null ? '' : `if-none-match: ${etags[index]}\r\n`;
    return `GET /api/v2/artist/${names[index]}${tail}${condition}\r\n`;
  };
}

handleJobs<HttpLoad, LoadResult>(async (load) => {
  const nextRequest = requestMaker(load);
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.port)),
  );
  const latencies: number[] = [];
  let bytes = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + load.seconds * 1_000;

  const ask = async (connection: HttpConnection): Promise<void> => {
    for (let sent = performance.now(); sent < end; ) {
      const { status, bodyBytes } = await connection.exchange(nextRequest());
      if (status !== load.expectedStatus)
        throw new Error(`answered ${status} instead of ${load.expectedStatus}`);
      const now = performance.now();
      latencies.push(now - sent);
      bytes += bodyBytes;
      sent = now;
    }
  };
  try {
    await Promise.all(connections.map(ask));
  } finally {
    for (const connection of connections) connection.close();
  }
  const elapsedMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    latencies: Float64Array.from(latencies),
    perSecond: latencies.length / (elapsedMs / 1_000),
    bodyBytes: bytes / latencies.length,
    busy: (user + system) / 1_000 / elapsedMs,
  };
});
