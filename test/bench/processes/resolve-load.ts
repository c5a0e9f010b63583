import { randomOf } from '../data/random.ts';
import { type AskedBy, askedFor, type Catalogue, mixedLocators } from '../identity/locators.ts';
import { handleJobs } from './handle-jobs.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';

/** Requests to resolve, or to a route that does nothing. */
export interface ResolveLoad {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly what: AskedBy | 'empty route' | 'batch';
  /** Locators in a batch. */
  readonly batch: number;
  readonly catalogue: Catalogue;
  readonly seed: number;
}

export interface ResolveLoadResult {
  /** How long each request took, in milliseconds. */
  readonly latencies: Float64Array;
  readonly perSecond: number;
}

const MOST_NUMBER = 2 ** 31 - 1;

/**
 * Requests that are made for each second before the first is sent, since to make some costs as much as to answer them. Where
 * more are sent, they start over.
 */
const MADE_A_SECOND = 10_000;
const BATCHES_MADE_A_SECOND = 200;

function requestMaker({ key, what, batch, catalogue, seed }: ResolveLoad): () => string {
  const random = randomOf(seed, 1);
  const number = (): number => random.whole(0, MOST_NUMBER);
  const head = `HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n`;
  if (what === 'empty route') return () => `GET /health ${head}\r\n`;
  if (what !== 'batch') {
    return () => {
      const query = new URLSearchParams(askedFor(what, number(), catalogue).locator);
      return `GET /api/v2/resolve?${query} ${head}\r\n`;
    };
  }
  return () => {
    const body = JSON.stringify({ locators: mixedLocators(batch, number(), catalogue) }).replaceAll(
      /[^\p{ASCII}]/gu,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const more = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    return `POST /api/v2/resolve/batch ${head}${more}\r\n${body}`;
  };
}

handleJobs<ResolveLoad, ResolveLoadResult>(async (load) => {
  const makeRequest = requestMaker(load);
  const madeASecond = load.what === 'batch' ? BATCHES_MADE_A_SECOND : MADE_A_SECOND;
  const requests = Array.from({ length: Math.ceil(madeASecond * load.seconds) }, makeRequest);
  let next = 0;
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(load.port)),
  );
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + load.seconds * 1_000;
  const ask = async (connection: HttpConnection): Promise<void> => {
    while (performance.now() < end) {
      const request = requests[next++ % requests.length] ?? '';
      const sent = performance.now();
      const { status } = await connection.exchange(request);
      if (status !== 200) throw new Error(`${load.what} was answered with ${status}`);
      latencies.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(connections.map(ask));
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - start) / 1_000;
  return { latencies: Float64Array.from(latencies), perSecond: latencies.length / seconds };
});
