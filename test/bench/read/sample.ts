import { artistSlug, clusterIdOf } from '../data/artist.ts';
import type { ConstantAnswer } from '../processes/constant-server.ts';

const CHECKED = 60;
const CONDITIONAL = 5_000;
const AT_A_TIME = 32;

/** What was seen of the service before the load. */
export interface Sample {
  /** Mean length of a dossier as JSON text. */
  readonly jsonBytes: number;
  /** ETags of the first artists. */
  readonly etags: readonly string[];
}

/**
 * Reads some dossiers in every way the load will, and the ETags that it needs.
 *
 * @throws Error where an answer is not the dossier that was asked for
 */
export async function sampleService(port: number, key: string, artists: number): Promise<Sample> {
  const base = `http://127.0.0.1:${port}/api/v2/artist`;
  const headers = { 'x-api-key': key };
  let jsonBytes = 0;
  for (let checked = 0; checked < CHECKED; checked++) {
    const index = Math.floor((checked / CHECKED) * artists);
    const clusterId = clusterIdOf(index);
    const slug = artistSlug(index);
    const byCluster = await dossier(`${base}/${clusterId}`, { ...headers, 'accept-encoding': 'gzip' });
    const bySlug = await dossier(`${base}/${slug}`, { ...headers, 'accept-encoding': 'identity' });
    if (byCluster.body.cluster_id !== clusterId || byCluster.body.resolved_via !== 'cluster')
      throw new Error(`not the dossier of ${clusterId}`);
    if (bySlug.body.slug !== slug || bySlug.body.resolved_via !== 'catalog')
      throw new Error(`not the dossier of ${slug}`);
    jsonBytes += byCluster.bytes / CHECKED;
  }
  return { jsonBytes, etags: await etagsOf(base, headers, Math.min(artists, CONDITIONAL)) };
}

async function dossier(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`);
  const body: Record<string, unknown> = JSON.parse(text);
  return { body, bytes: Buffer.byteLength(text) };
}

async function etagsOf(base: string, headers: Record<string, string>, count: number): Promise<string[]> {
  const etags: string[] = [];
  let next = 0;
  const ask = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const response = await fetch(`${base}/${clusterIdOf(index)}`, {
        headers: { ...headers, 'accept-encoding': 'gzip' },
      });
      await response.arrayBuffer();
      etags[index] = response.headers.get('etag') ?? '';
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, ask));
  return etags;
}

/** What Node says of an answer by itself. */
const OF_THE_SERVER = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** The head of the answer that requests of these headers get. */
export async function headOf(
  port: number,
  headers: Record<string, string>,
): Promise<Pick<ConstantAnswer, 'status' | 'headers'>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v2/artist/${clusterIdOf(0)}`, { headers });
  await response.arrayBuffer();
  const said = [...response.headers].filter(([name]) => !OF_THE_SERVER.has(name));
  return { status: response.status, headers: Object.fromEntries(said) };
}
