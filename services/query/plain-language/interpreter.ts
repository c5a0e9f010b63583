import type { Logger } from 'pino';
import { interpretByGrammar } from './grammar/interpret-by-grammar.ts';
import type { Interpretation, Vocabulary } from './interpretation.ts';
import { askModel, type ModelQuestion, type ModelSettings } from './model/ask-model.ts';
import { createBreaker } from './model/breaker.ts';

export type { ModelSettings } from './model/ask-model.ts';

export interface Interpreter {
  /**
   * Interprets a text. The result names the engine: model or grammar.
   *
   * @throws the reason of `signal` if it is aborted
   */
  interpret(text: string, vocabulary: Vocabulary, signal: AbortSignal): Promise<Interpretation>;
}

export interface InterpreterOptions {
  /** Null to use only the grammar. */
  readonly model: ModelSettings | null;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Interprets searches in plain language with a model if one is configured and responds in time, else with a grammar over
 * the vocabulary. After several failures in a row, the model is skipped for a while.
 */
export function interpreter({ model, log, now = Date.now }: InterpreterOptions): Interpreter {
  const breaker = createBreaker(now);

  async function askSafely(settings: ModelSettings, question: ModelQuestion): Promise<Interpretation | null> {
    try {
      const interpretation = await askModel(settings, question);
      breaker.succeeded();
      return interpretation;
    } catch (error) {
      if (question.signal.aborted) {
        breaker.abandoned();
        throw question.signal.reason;
      }
      breaker.failed();
      log.warn({ err: error }, 'the model failed to interpret a search; using the grammar');
      return null;
    }
  }

  return {
    async interpret(given, vocabulary, signal) {
      signal.throwIfAborted();
      const text = given.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ');
      const byModel =
        model !== null && breaker.admits() ? await askSafely(model, { text, vocabulary, signal }) : null;
      return byModel ?? interpretByGrammar(text, vocabulary);
    },
  };
}
