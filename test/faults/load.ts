import type { Message, Producer } from 'kafkajs';
import { parseChangeLine } from '../../workers/ingest/decode/change-line.ts';
import type { ProducerChange } from '../support/history/history.ts';
import { brokenLines } from '../support/ingest/change-data.ts';
import { type Event, eventsOf } from '../support/ingest/delivery.ts';
import { expectedRows } from '../support/projections/oracle.ts';
import type { SeededRandom } from './random.ts';
import { randomChanges } from './random-changes.ts';

/** Partitions of every topic, so that workers share topics. */
export const PARTITIONS = 2;
/** Most events that are delivered once more, in their order, after one that came again. */
const REPEATED = 5;

/** The events that producers have sent, and their expected effect. */
export interface Load {
  /** Sends the events of some histories, some of them twice, and broken ones between them. */
  send(histories: number): Promise<void>;
  /** Offset after the last record of each partition that has one, as `topic/partition`. */
  ends(): ReadonlyMap<string, number>;
  expected(): ReturnType<typeof expectedRows>;
  /** The dead letters: topic and violations, sorted. */
  letters(): string[];
}

interface Broken {
  readonly event: Event;
  readonly violations: readonly Violation[];
}

interface Violation {
  readonly field: string;
  readonly reason: string;
}

interface LoadOptions {
  readonly producer: Producer;
  readonly prefix: string;
  /** Those with a topic; broken events of these are sent too. */
  readonly tables: ReadonlySet<string>;
  readonly random: SeededRandom;
}

export const letterOf = (topic: string, violations: readonly Violation[]): string =>
  [topic, ...violations.map(({ field, reason }) => `${field}: ${reason}`).sort()].join(' ');

export function startLoad({ producer, prefix, tables, random }: LoadOptions): Load {
  const rowChanges: ProducerChange[] = [];
  const letters: string[] = [];
  const ends = new Map<string, number>();
  const log = new Map<string, Event[]>();
  const broken = brokenLines()
    .map(readBroken)
    .filter(({ event }) => tables.has(event.topic.slice('producers.'.length)));
  const topicOf = (topic: string): string => topic.replace(/^producers/, prefix);

  /** An event, sometimes followed by repeats of the events before it in its partition. */
  function delivered(event: Event): Event[] {
    const before = log.get(placeOf(event)) ?? [];
    log.set(placeOf(event), before);
    before.push(event);
    if (random.below(4) > 0) return [event];
    return [event, ...before.slice(-1 - random.below(REPEATED))];
  }

  function nextBroken(): Event {
    const { event, violations } = random.oneOf(broken);
    letters.push(letterOf(topicOf(event.topic), violations));
    return event;
  }

  return {
    async send(histories) {
      const from = rowChanges.length;
      rowChanges.push(...randomChanges(random, histories));
      const events = rowChanges.slice(from).flatMap((rowChange, index) => {
        const events = eventsOf(rowChange, from + index, rowChanges).flatMap(delivered);
        return random.below(20) === 0 ? [...events, nextBroken()] : events;
      });
      const byTopic = Map.groupBy(events, ({ topic }) => topicOf(topic));
      const sent = await producer.sendBatch({
        acks: -1,
        topicMessages: [...byTopic].map(([topic, all]) => ({ topic, messages: all.map(messageOf) })),
      });
      for (const { topicName, partition, baseOffset } of sent) {
        const count = byTopic.get(topicName)?.filter((event) => partitionOf(event) === partition).length ?? 0;
        ends.set(`${topicName}/${partition}`, Number(baseOffset) + count);
      }
    },
    ends: () => ends,
    expected: () => expectedRows(rowChanges),
    letters: () => letters.toSorted(),
  };
}

function readBroken(line: string): Broken {
  const { topic, key, value, headers } = parseChangeLine(line, 0);
  const event = { topic, key: asText(key), value: asText(value), headers, timestamp: Date.now() };
  return { event, violations: JSON.parse(line).violations };
}

const asText = (part: string | Buffer | null): string | null => part?.toString() ?? null;

const messageOf = (event: Event): Message => ({
  key: event.key,
  value: event.value,
  timestamp: String(event.timestamp),
  partition: partitionOf(event),
});

const placeOf = (event: Event): string => `${event.topic}/${partitionOf(event)}`;

/** All events of a key go to one partition, as with a producer's own partitioner. */
function partitionOf({ key }: Event): number {
  let sum = 0;
  for (const character of key ?? '') sum = (sum * 31 + character.charCodeAt(0)) >>> 0;
  return sum % PARTITIONS;
}
