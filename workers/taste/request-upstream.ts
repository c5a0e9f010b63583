import type { ServiceRequest, ServiceResponse, TransientFailure } from './upstream.ts';

/** From the request to the last byte of the response. */
const TIMEOUT_MS = 10_000;
/** Response size after decompression. */
const MAX_BYTES = 5 * 1024 * 1024;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export interface RequestLimits {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/**
 * Sends a request to a service that may be slow or hostile. Follows no redirects and reads only JSON bodies.
 *
 * @returns the response, or the failure
 * @throws only the signal's reason
 */
export async function requestUpstream(
  { url, headers }: ServiceRequest,
  signal: AbortSignal,
  { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: RequestLimits = {},
): Promise<ServiceResponse | TransientFailure> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const { status } = response;
    const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '');
    const isRedirect = status >= 300 && status < 400;
    if (isRedirect || !isJson) {
      await response.body?.cancel();
      return isRedirect ? 'bad_answer' : { status, headers: response.headers, body: undefined };
    }
    const text = await readText(response, maxBytes);
    return text === null ? 'bad_answer' : { status, headers: response.headers, body: parse(text) };
  } catch {
    // Errors of fetch may contain the URL with the username, so they are neither logged nor thrown.
    signal.throwIfAborted();
    return 'unavailable';
  }
}

/** The body as text; null if it exceeds `maxBytes`. */
async function readText(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
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
