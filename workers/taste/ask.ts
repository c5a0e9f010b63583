import type { Answer, PassingFailure, UpstreamRequest } from './upstream.ts';

/** From the request to the last byte of the answer. */
const BUDGET_MS = 10_000;
/** Of an answer as it is read, after what was compressed was inflated. */
const MOST_BYTES = 5 * 1024 * 1024;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export interface AskLimits {
  readonly budgetMs?: number;
  readonly mostBytes?: number;
}

/**
 * Sends a request to a service that may be slow, hostile or somebody else by now. Goes where it was told to and no
 * further: redirects are not followed. What is no JSON is not read.
 *
 * @returns the answer, or why there is none
 * @throws the signal's reason, and nothing else
 */
export async function ask(
  { url, headers }: UpstreamRequest,
  signal: AbortSignal,
  { budgetMs = BUDGET_MS, mostBytes = MOST_BYTES }: AskLimits = {},
): Promise<Answer | PassingFailure> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(budgetMs)]),
    });
    const { status } = response;
    const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '');
    const isRedirect = status >= 300 && status < 400;
    if (isRedirect || !isJson) {
      await response.body?.cancel();
      return isRedirect ? 'bad_answer' : { status, headers: response.headers, body: undefined };
    }
    const text = await readText(response, mostBytes);
    return text === null ? 'bad_answer' : { status, headers: response.headers, body: parse(text) };
  } catch {
    // What fetch throws may hold the address, and that the username; so it is told to nobody.
    signal.throwIfAborted();
    return 'unavailable';
  }
}

/** The body as text; null where it is longer, of which no more is read then. */
async function readText(response: Response, mostBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop lets go of what was not read.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
