import type { Consumer } from 'kafkajs';

const CHECK_MS = 5_000;
/** A rebalance may take a minute, and a request without a response half of one. */
const SILENCE_LIMIT_MS = 180_000;

export interface SilenceOptions {
  readonly isBusy: () => boolean;
  readonly onActivity: () => void;
  readonly onSilence: (error: Error) => void;
}

/**
 * Reports a consumer without any activity: kafkajs can hang without a crash. Time in which the process itself did not
 * run does not count. @returns a disposer
 */
export function watchSilence(consumer: Consumer, options: SilenceOptions): () => void {
  const { isBusy, onActivity, onSilence } = options;
  let silentMs = 0;
  const { FETCH_START, FETCH, HEARTBEAT, GROUP_JOIN, END_BATCH_PROCESS } = consumer.events;
  const note = () => {
    silentMs = 0;
    onActivity();
  };
  consumer.on(FETCH_START, note);
  consumer.on(FETCH, note);
  consumer.on(HEARTBEAT, note);
  consumer.on(GROUP_JOIN, note);
  consumer.on(END_BATCH_PROCESS, note);
  const timer = setInterval(() => {
    silentMs = isBusy() ? 0 : silentMs + CHECK_MS;
    if (silentMs >= SILENCE_LIMIT_MS)
      onSilence(new Error(`the consumer showed no activity for ${silentMs / 1_000} s`));
  }, CHECK_MS);
  return () => clearInterval(timer);
}
