/** The resources that a process holds, from its metrics. */
export interface Holdings {
  /** Resident memory and used heap, in MiB. */
  readonly memory: number;
  readonly heap: number;
  /** What keeps the event loop alive, by kind: `Timeout`, `TCPSocketWrap` and so on. */
  readonly resources: Readonly<Record<string, number>>;
  /** Connections to the database: busy, idle, and requests that wait for one, of all pools together. */
  readonly pool: Readonly<Record<'busy' | 'idle' | 'waiting', number>>;
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^(?<name>\w+)(?:\{(?<labels>[^}]*)\})? (?<value>\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;
const MIB = 2 ** 20;

function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const { name, labels = '', value } = LINE.exec(line)?.groups ?? {};
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** @param text in Prometheus' format */
export function holdingsOf(text: string): Holdings {
  const samples = samplesOf(text);
  const named = (name: string): readonly Sample[] => samples.filter((sample) => sample.name === name);
  const inState = (state: string): number =>
    named('linernotes_pool_connections')
      .filter(({ labels }) => labels.state === state)
      .reduce((sum, { value }) => sum + value, 0);
  return {
    memory: (named('process_resident_memory_bytes')[0]?.value ?? Number.NaN) / MIB,
    heap: (named('nodejs_heap_size_used_bytes')[0]?.value ?? Number.NaN) / MIB,
    resources: Object.fromEntries(
      named('nodejs_active_resources').map(({ labels, value }) => [labels.type ?? '', value]),
    ),
    pool: { busy: inState('busy'), idle: inState('idle'), waiting: inState('waiting') },
  };
}

/** How many more of each kind there are than there were, where there are more. */
export function leftOver(before: Holdings, after: Holdings): Record<string, number> {
  const grown = Object.entries(after.resources).map(([kind, count]): [string, number] => [
    kind,
    count - (before.resources[kind] ?? 0),
  ]);
  return Object.fromEntries(grown.filter(([, more]) => more > 0));
}
