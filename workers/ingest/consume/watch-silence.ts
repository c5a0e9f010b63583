import type { Consumer } from 'kafkajs';

const LOOK_MS = 5_000;
/** A rebalance may keep a member waiting for a minute, and a request that nobody answers for half of one. */
const LONGEST_SILENCE_MS = 180_000;

/**
 * Ends a consumer that gives no sign of life: kafkajs has ways to hang without a crash. Time that the process itself
 * did not run does not count. Answers how to end the watch.
 */
export function watchSilence(
  consumer: Consumer,
  isBusy: () => boolean,
  end: (error: Error) => void,
  onSign: () => void,
): () => void {
  let silentMs = 0;
  const { FETCH_START, FETCH, HEARTBEAT, GROUP_JOIN, END_BATCH_PROCESS } = consumer.events;
  const sign = () => {
    silentMs = 0;
    onSign();
  };
  consumer.on(FETCH_START, sign);
  consumer.on(FETCH, sign);
  consumer.on(HEARTBEAT, sign);
  consumer.on(GROUP_JOIN, sign);
  consumer.on(END_BATCH_PROCESS, sign);
  const timer = setInterval(() => {
    silentMs = isBusy() ? 0 : silentMs + LOOK_MS;
    if (silentMs >= LONGEST_SILENCE_MS)
      end(new Error(`the consumer gave no sign of life for ${silentMs / 1_000} s`));
  }, LOOK_MS);
  return () => clearInterval(timer);
}
