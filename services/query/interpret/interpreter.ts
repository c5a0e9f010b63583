import type { Logger } from 'pino';
import { interpretByGrammar } from './grammar/interpret-by-grammar.ts';
import type { Interpretation, Vocabulary } from './interpretation.ts';
import { askModel, type ModelSettings } from './model/ask-model.ts';
import { createBreaker } from './model/breaker.ts';

export type { ModelSettings } from './model/ask-model.ts';

export interface Interpreter {
  /**
   * What a text in plain language asks for. The answer says whether the model or the grammar spoke.
   *
   * @throws the reason of `signal` once that is aborted
   */
  interpret(text: string, vocabulary: Vocabulary, signal: AbortSignal): Promise<Interpretation>;
}

export interface InterpreterOptions {
  /** Null where there is no model, so that the grammar speaks alone. */
  readonly model: ModelSettings | null;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Reads searches in plain language: by a model where there is one and it answers in time, else by a grammar over the
 * vocabulary. A model that fails several times in a row is left alone for a while.
 */
export function interpreter({ model, log, now = Date.now }: InterpreterOptions): Interpreter {
  const breaker = createBreaker(now);

  async function ask(
    settings: ModelSettings,
    text: string,
    vocabulary: Vocabulary,
    signal: AbortSignal,
  ): Promise<Interpretation | null> {
    try {
      const interpretation = await askModel(settings, text, vocabulary, signal);
      breaker.succeeded();
      return interpretation;
    } catch (error) {
      if (signal.aborted) {
        breaker.abandoned();
        throw signal.reason;
      }
      breaker.failed();
      log.warn({ err: error }, 'the model did not interpret a search; the grammar does');
      return null;
    }
  }

  return {
    async interpret(given, vocabulary, signal) {
      signal.throwIfAborted();
      const text = given.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ');
      const byModel = model !== null && breaker.admits() ? await ask(model, text, vocabulary, signal) : null;
      return byModel ?? interpretByGrammar(text, vocabulary);
    },
  };
}
