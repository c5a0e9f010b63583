import { createRequire } from 'node:module';
import pg from 'pg';

/**
 * Loaded before a process's own code (`node --import`), ends or freezes it at a point named by FAULT_AT: at the n-th
 * time that it sends a statement, or commits offsets to Kafka. The code under test knows nothing of it.
 */
export interface FaultPoint {
  /** Start of a statement's name or text, or several words that its text holds, in lower case; or `kafka-commit`. */
  readonly at: string;
  /** `during` is for COPY, when its first rows have been sent; the others are for statements with an answer. */
  readonly when: 'before' | 'during' | 'after';
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

type Call = (this: unknown, ...args: unknown[]) => unknown;

const point: FaultPoint = JSON.parse(process.env.FAULT_AT ?? 'null');
let times = 0;

const strike = (): boolean => process.kill(process.pid, point.signal);

/** The call with the fault around it, when it is the one meant. */
function around(isMeant: (...args: unknown[]) => boolean, call: Call): Call {
  return function (...args) {
    if (!isMeant(...args) || ++times !== point.nth) return call.apply(this, args);
    if (point.when === 'before') strike();
    if (point.when === 'during') strikeAtFirstRows(args[0] as CopyStream);
    const result = call.apply(this, args);
    if (point.when !== 'after') return result;
    return (result as Promise<unknown>).then((value) => {
      strike();
      return value;
    });
  };
}

interface CopyStream {
  flushChunk(chunk: Buffer): boolean;
}

function strikeAtFirstRows(stream: CopyStream): void {
  const flush = stream.flushChunk.bind(stream);
  stream.flushChunk = (chunk) => {
    const isFlowing = flush(chunk);
    setImmediate(strike);
    return isFlowing;
  };
}

function isStatement(query: unknown): boolean {
  const { name, text = '' } =
    typeof query === 'string' ? { text: query } : (query as { name?: string; text?: string });
  const statement = text.trimStart().toLowerCase();
  if (point.at.includes(' ')) return statement.includes(point.at);
  return name?.startsWith(point.at) === true || statement.startsWith(point.at);
}

if (point?.at === 'kafka-commit') {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as {
    prototype: { offsetCommit: Call };
  };
  prototype.offsetCommit = around(() => true, prototype.offsetCommit);
} else if (point !== null) {
  const prototype = pg.Client.prototype as unknown as { query: Call };
  prototype.query = around(isStatement, prototype.query);
}
