import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Interpretation, Vocabulary } from '../interpretation.ts';
import { acceptAnswer } from './accept-answer.ts';
import { completionRequest } from './prompt.ts';

/** A language model behind an endpoint with OpenAI's chat completions. */
export interface ModelSettings {
  /** URL that `/chat/completions` is appended to, such as `https://models.example/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
}

/** A text to interpret. */
export interface ModelQuestion {
  readonly text: string;
  readonly vocabulary: Vocabulary;
  readonly signal: AbortSignal;
}

/** Time limit of an interpretation, from the request to the last byte of the response. */
const BUDGET_MS = 3_000;
const MOST_BYTES = 64 * 1024;

const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }) }), { minItems: 1 }),
});

/**
 * Asks a model to interpret a text.
 *
 * @throws Error if the response is late or does not have the requested form
 */
export async function askModel(
  { baseUrl, model, apiKey }: ModelSettings,
  { text, vocabulary, signal }: ModelQuestion,
): Promise<Interpretation> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(completionRequest(model, text, vocabulary)),
    // A redirect would leak the key to another endpoint.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the model responded with status ${response.status}`);
  }
  const completion: unknown = JSON.parse(await readCapped(response, MOST_BYTES));
  return acceptAnswer(contentOf(completion), text, vocabulary);
}

function contentOf(completion: unknown): string {
  if (!Value.Check(Completion, completion)) throw new Error('the model responded without a completion');
  const { choices }: Static<typeof Completion> = completion;
  return choices[0]?.message.content ?? '';
}

/** The body of a response as text. @throws Error if it exceeds `mostBytes`; reads no further then */
async function readCapped(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error(`the response is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
