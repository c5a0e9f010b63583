import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';

type Handler = (request: Asked, response: ServerResponse) => void;

/** A request as the service saw it. */
interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface UpstreamForTests {
  /** Without a slash at the end. */
  readonly url: string;
  /** What was asked since the test began. */
  readonly asked: Asked[];
  /** How it answers until the test ends. */
  answer(handler: Handler): void;
}

/** Answers with JSON. */
export function jsonResponse(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Gives the test file a service that is played by a server of this process. */
export function withUpstream(): UpstreamForTests {
  const asked: Asked[] = [];
  const nothing: Handler = (_, response) => response.writeHead(500).end();
  let handler = nothing;
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream.example');
      const one = { path: pathname, query: searchParams, headers: request.headers };
      asked.push(one);
      handler(one, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    handler = nothing;
    asked.length = 0;
  });
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    asked,
    answer(given) {
      handler = given;
    },
  };
}

interface Collected {
  readonly id: number;
  readonly name: string;
}

/** A page of a collection: one release by each of the artists. */
export const collectionPage = (artists: readonly Collected[], page: number, pages: number) => ({
  pagination: { page, pages, per_page: 100, items: artists.length * pages, urls: {} },
  releases: artists.map(({ id, name }, index) => ({
    id: page * 1_000 + index,
    instance_id: index,
    rating: 0,
    basic_information: {
      id: page * 1_000 + index,
      title: 'A title',
      artists: [{ id, name, anv: '', join: '', role: '', tracks: '', resource_url: '' }],
    },
  })),
});

interface Charted {
  readonly name: string;
  readonly mbid?: string;
}

/** A page of most played artists as the service that is asked by method gives it. */
export const chartsPage = (artists: readonly Charted[], page: number, totalPages: number) => ({
  topartists: {
    artist: artists.map(({ name, mbid = '' }, index) => ({
      streamable: '0',
      playcount: '17',
      name,
      mbid,
      url: '',
      image: [{ size: 'small', '#text': '' }],
      '@attr': { rank: String(index + 1) },
    })),
    '@attr': {
      user: 'somebody',
      totalPages: String(totalPages),
      page: String(page),
      perPage: '500',
      total: '2',
    },
  },
});

/** A page of most played artists as the service that works statistics out gives it. */
export const statisticsPage = (artists: readonly Charted[], offset: number, total: number) => ({
  payload: {
    artists: artists.map(({ name, mbid }) => ({
      artist_name: name,
      artist_mbid: mbid ?? null,
      listen_count: 17,
    })),
    count: artists.length,
    offset,
    range: 'all_time',
    total_artist_count: total,
    user_id: 'somebody',
  },
});
