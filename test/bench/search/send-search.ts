import type { SearchBody } from '../../../services/query/search/schema.ts';
import type { BenchQuery } from './queries.ts';

/** Where searches go. */
export interface Target {
  readonly port: number;
  readonly key: string;
}

export interface Answered {
  readonly body: SearchBody;
  readonly ms: number;
}

function urlOf({ port }: Target, { q, filters, offset, limit }: BenchQuery): string {
  const query = new URLSearchParams({ q, offset: String(offset), limit: String(limit) });
  for (const [name, values] of Object.entries(filters))
    for (const value of [values].flat()) query.append(name, value);
  return `http://127.0.0.1:${port}/api/v2/search?${query}`;
}

/** @throws Error for any status but 200 */
export async function sendSearch(target: Target, query: BenchQuery): Promise<Answered> {
  const url = urlOf(target, query);
  const start = performance.now();
  const response = await fetch(url, { headers: { 'x-api-key': target.key } });
  const text = await response.text();
  const ms = performance.now() - start;
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}: ${text}`);
  return { body: JSON.parse(text), ms };
}

/** Asks one after the other. */
export async function askAll(target: Target, queries: readonly BenchQuery[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const query of queries) answers.push(await sendSearch(target, query));
  return answers;
}
