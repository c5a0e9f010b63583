import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly artists: number;
  readonly recordings: number;
  readonly releaseGroups: number;
  readonly tracks: number;
  /** Of one measurement. */
  readonly seconds: number;
  readonly connections: number;
  readonly events: number;
  readonly minutes: number;
  readonly sweep: boolean;
  readonly json: string | null;
  /** Folder for the CPU profiles of the processes that are measured. */
  readonly profiles: string | null;
  readonly seed: number;
}

export const USAGE = `Usage: npm run bench -- read | ingest | rebuild | identity | search | relevance |
                        platform | soak [options]

  --artists N        artists in the database (100000)
  --recordings N     identity: recordings of all artists together (500000)
  --tracks N         identity: tracks that are looked up by title (5000000)
  --release-groups N search: release groups in the index (2500000)
  --seconds N        length of one measurement (16)
  --connections N    requests under way at a time (64)
  --minutes N        soak: how long the load lasts (10)
  --events N         change events, rows of the snapshot file, changes that pile up (200000)
  --sweep            read: measure 10,000, 100,000 and 300,000 artists
  --seed N           of the generated data (1)
  --json FILE        write the figures there too
  --cpu-prof FOLDER  keep V8 CPU profiles of the processes that are measured

Every figure is a share of a ceiling measured in the same run. PostgreSQL is an embedded one in a temporary folder,
or a database of its own at DATABASE_URL; Kafka is found as the tests find it.`;

/** @throws Error saying which option is at fault */
export function readOptions(args: readonly string[]): { bench: string; options: BenchOptions } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      artists: { type: 'string', default: '100000' },
      recordings: { type: 'string', default: '500000' },
      'release-groups': { type: 'string', default: '2500000' },
      tracks: { type: 'string', default: '5000000' },
      seconds: { type: 'string', default: '16' },
      connections: { type: 'string', default: '64' },
      events: { type: 'string', default: '200000' },
      minutes: { type: 'string', default: '10' },
      sweep: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      json: { type: 'string' },
      'cpu-prof': { type: 'string' },
    },
  });
  if (positionals.length !== 1) throw new Error('name one benchmark');
  return {
    bench: positionals[0] ?? '',
    options: {
      artists: wholeNumber('artists', values.artists),
      recordings: wholeNumber('recordings', values.recordings),
      releaseGroups: wholeNumber('release-groups', values['release-groups']),
      tracks: wholeNumber('tracks', values.tracks),
      seconds: wholeNumber('seconds', values.seconds),
      connections: wholeNumber('connections', values.connections),
      events: wholeNumber('events', values.events),
      minutes: wholeNumber('minutes', values.minutes),
      sweep: values.sweep,
      seed: wholeNumber('seed', values.seed),
      json: values.json ?? null,
      profiles: values['cpu-prof'] ?? null,
    },
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} is a whole number from 1, not "${text}"`);
  return Number(text);
}
