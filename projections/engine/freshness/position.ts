/** The position of a record in the log. */
export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Positions that one request may wait for. */
const MAX_POSITIONS = 8;

/** A topic name as Kafka allows it, then two numbers. */
const POSITION = /^([A-Za-z0-9._-]{1,249}):(\d{1,10}):(\d{1,16})$/;
const MAX_PARTITION = 2 ** 31 - 1;

/**
 * Reads positions as `topic:partition:offset`, several separated by commas.
 *
 * @returns the positions, or the `problem` with the text
 */
export function parsePositions(text: string): readonly RecordPosition[] | { readonly problem: string } {
  const parts = text.split(',', MAX_POSITIONS + 1);
  if (parts.length > MAX_POSITIONS) return { problem: `must name at most ${MAX_POSITIONS} positions` };
  const positions: RecordPosition[] = [];
  for (const part of parts) {
    const [, topic = '', partitionText, offsetText] = POSITION.exec(part.trim()) ?? [];
    const [partition, offset] = [Number(partitionText), Number(offsetText)];
    if (!(partition <= MAX_PARTITION && Number.isSafeInteger(offset)))
      return { problem: 'must be topic:partition:offset, several separated by commas' };
    positions.push({ topic, partition, offset });
  }
  return positions;
}

/** `topic:partition` */
export const partitionName = ({ topic, partition }: RecordPosition): string => `${topic}:${partition}`;

/** `topic:partition:offset` */
export const positionText = (position: RecordPosition): string =>
  `${partitionName(position)}:${position.offset}`;
