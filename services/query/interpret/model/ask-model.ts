import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Interpretation, Vocabulary } from '../interpretation.ts';
import { acceptAnswer } from './accept-answer.ts';
import { completionRequest } from './prompt.ts';
import { readCapped } from './read-capped.ts';

/** A language model behind an endpoint that speaks OpenAI's chat completions. */
export interface ModelSettings {
  /** Up to where `/chat/completions` follows, as in `https://models.example/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
}

/** For an interpretation in all, from the request to the last byte of the answer. */
const BUDGET_MS = 3_000;
const MOST_BYTES = 64 * 1024;

const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }) }), { minItems: 1 }),
});

/**
 * Asks a model what a text means.
 *
 * @throws Error where it does not answer in time, or not in the form that was asked for
 */
export async function askModel(
  { baseUrl, model, apiKey }: ModelSettings,
  text: string,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<Interpretation> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(completionRequest(model, text, vocabulary)),
    // The key is for this endpoint alone.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the model answered with status ${response.status}`);
  }
  const completion: unknown = JSON.parse(await readCapped(response, MOST_BYTES));
  return acceptAnswer(contentOf(completion), text, vocabulary);
}

function contentOf(completion: unknown): string {
  if (!Value.Check(Completion, completion)) throw new Error('the model answered with no completion');
  const { choices }: Static<typeof Completion> = completion;
  return choices[0]?.message.content ?? '';
}
