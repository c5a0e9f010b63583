/** A record of the log that a reader wants to see the effect of. */
export interface LogPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Positions that one reader may wait for. */
const MOST_POSITIONS = 8;

/** What Kafka allows as the name of a topic, then two numbers. */
const POSITION = /^([A-Za-z0-9._-]{1,249}):(\d{1,10}):(\d{1,16})$/;
const MAX_PARTITION = 2 ** 31 - 1;

/**
 * Reads positions as `topic:partition:offset`, several separated by commas.
 *
 * @returns `problem` says what the text must be, where it is not
 */
export function parsePositions(text: string): readonly LogPosition[] | { readonly problem: string } {
  const parts = text.split(',', MOST_POSITIONS + 1);
  if (parts.length > MOST_POSITIONS) return { problem: `must name at most ${MOST_POSITIONS} positions` };
  const positions: LogPosition[] = [];
  for (const part of parts) {
    const [, topic = '', partitionText, offsetText] = POSITION.exec(part.trim()) ?? [];
    const [partition, offset] = [Number(partitionText), Number(offsetText)];
    if (!(partition <= MAX_PARTITION && Number.isSafeInteger(offset)))
      return { problem: 'must be topic:partition:offset, several separated by commas' };
    positions.push({ topic, partition, offset });
  }
  return positions;
}

/** Names a partition. */
export const placeOf = ({ topic, partition }: LogPosition): string => `${topic}:${partition}`;

/** A position as it is written. */
export const positionText = (position: LogPosition): string => `${placeOf(position)}:${position.offset}`;
