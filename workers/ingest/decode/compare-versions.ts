/** Parts of a version, as version.ts writes it. */
const EPOCH_END = 8;
const COMMIT_END = 24;
const OWN_END = 40;
const RANK_END = 41;
const TOPIC_END = 45;
const PARTITION_END = 48;
const OFFSET_END = 60;
const TIME_END = 71;
const NO_COMMIT = '0'.repeat(16);

/** Record times of one partition may go back by so many milliseconds, because connectors move between hosts. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Orders two versions of a key: negative if `a` is the older one, 0 if they are of the same change. Changes of the log
 * are in the order of their commits. A snapshot's position does not say which commits its rows contain, so a row of a
 * snapshot is ordered by where the producer put it. `ingest.compare_versions` is the same function in SQL, and
 * infra/decisions/which-change-is-newer.md says why it is right.
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  if (isRepeatedOtherwise(a, b)) return writtenOrder(a, b) || compareCore(a, b);
  if (!isOrderedByDelivery(a, b)) return compareCore(a, b);
  const order = readOrder(a, b);
  if (order !== null) return order || compareText(a, b, 0, RANK_END);
  const byTime = isSameTopic(a, b) ? compareText(a, b, OFFSET_END, TIME_END) : 0;
  if (byTime !== 0) return byTime;
  const [isPlacedA, isPlacedB] = [isPlaced(a), isPlaced(b)];
  if (!isPlacedA && newestOf(a) >= newestOf(b)) return 1;
  if (!isPlacedB && newestOf(b) >= newestOf(a)) return -1;
  return isPlacedA === isPlacedB ? compareCore(a, b) : isPlacedA ? 1 : -1;
}

/** Whether `a` was read before `b` (negative) or after it, by their offsets; null if they are not of one partition. */
export const readOrder = (a: string, b: string): number | null =>
  isSamePartition(a, b) && !isRecreated(a, b) ? compareText(a, b, PARTITION_END, OFFSET_END) : null;

/** Whether `a` was written after `b` to the same topic: by their offsets, or by the times of their records. */
export const isWrittenLater = (a: string, b: string): boolean => isSameTopic(a, b) && writtenOrder(a, b) > 0;

const writtenOrder = (a: string, b: string): number =>
  readOrder(a, b) ?? compareText(a, b, OFFSET_END, TIME_END);

/** The greater of two versions. */
export const newerOf = (a: string, b: string): string => (compareVersions(a, b) < 0 ? b : a);

/** By epoch, commit, position and rank. Of the same change, the version that says where it was read is newer. */
const compareCore = (a: string, b: string): number =>
  compareText(a, b, 0, RANK_END) || Math.sign(a.length - b.length);

/**
 * Whether two are of one change that was sent with and without the commit before it: the own position replaces a missing
 * one. Sent again after a snapshot, it counts where it was sent last.
 */
function isRepeatedOtherwise(a: string, b: string): boolean {
  if (compareText(a, b, COMMIT_END, RANK_END) !== 0 || !a.endsWith('s') || !b.endsWith('s')) return false;
  return compareText(a, b, 0, EPOCH_END) === 0 && isSameTopic(a, b) && lacksCommit(a) !== lacksCommit(b);
}

const lacksCommit = (version: string): boolean =>
  version.slice(EPOCH_END, COMMIT_END) === version.slice(COMMIT_END, OWN_END);

/** Whether at least one has no position of its own, and both name one of the log in the same epoch. */
const isOrderedByDelivery = (a: string, b: string): boolean =>
  (isPlaced(a) || isPlaced(b)) &&
  compareText(a, b, 0, EPOCH_END) === 0 &&
  !a.startsWith(NO_COMMIT, EPOCH_END) &&
  !b.startsWith(NO_COMMIT, EPOCH_END);

/**
 * Whether a version is ordered by where the producer put its record, because it is of a row of a snapshot or of a lone
 * tombstone. Versions of earlier releases do not tell; in them rows of snapshots had no commit before them, like few changes.
 */
function isPlaced(version: string): boolean {
  if (version.length > RANK_END) return version.endsWith('r');
  return lacksCommit(version);
}

const isSameTopic = (a: string, b: string): boolean =>
  a.length > RANK_END && a.length === b.length && compareText(a, b, RANK_END, TOPIC_END) === 0;

const isSamePartition = (a: string, b: string): boolean =>
  isSameTopic(a, b) && compareText(a, b, TOPIC_END, PARTITION_END) === 0;

/** Whether the offsets cannot be of one log: the record of the greater offset is the older one by far. */
function isRecreated(a: string, b: string): boolean {
  const [timeA, timeB] = [timeOf(a), timeOf(b)];
  const isLater = compareText(a, b, PARTITION_END, OFFSET_END);
  return timeA > 0 && timeB > 0 && isLater * (timeA - timeB) < -CLOCK_SKEW_MS;
}

const timeOf = (version: string): number => Number.parseInt(version.slice(OFFSET_END, TIME_END), 16);

/** The newest position that a version names. A change whose is not before a snapshot's was committed after it. */
function newestOf(version: string): string {
  const [commit, own] = [version.slice(EPOCH_END, COMMIT_END), version.slice(COMMIT_END, OWN_END)];
  if (commit > own) return commit;
  return own;
}

function compareText(a: string, b: string, from: number, to: number): number {
  const [x, y] = [a.slice(from, to), b.slice(from, to)];
  return x < y ? -1 : x > y ? 1 : 0;
}
