import { readFileSync } from 'node:fs';
import { pollUntil } from '../support/poll.ts';
import type { OtherDatabase } from '../support/services/connect-plugins.ts';

export type ConnectorConfig = Readonly<Record<string, string>>;

/** Long: a task stops only after its last batch, and a killed worker has to join its group again. */
const STATE_MS = 120_000;

const EXAMPLES = new URL('../../infra/guides/examples/connectors/', import.meta.url);

/** The connector settings that the producers' guide gives for a database. */
export const guideConfig = (database: 'postgresql' | OtherDatabase = 'postgresql'): ConnectorConfig =>
  JSON.parse(readFileSync(new URL(`${database}.json`, EXAMPLES), 'utf8'));

/** The table into which the guide's `heartbeat.action.query` writes. */
export const HEARTBEAT_TABLE = 'public.debezium_heartbeat';

/** The settings that name a server and the connector's place there. */
export function serverConfig(url: string, name: string, tables: readonly string[]): ConnectorConfig {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    'database.hostname': hostname,
    'database.port': port,
    'database.user': username,
    'database.password': password,
    'database.dbname': pathname.slice(1),
    'table.include.list': [...tables, HEARTBEAT_TABLE].join(','),
    'slot.name': slotOf(name),
    'publication.name': `publication_${name}`,
    // Two connectors of one prefix would register the same metrics.
    'custom.metric.tags': `connector=${name}`,
  };
}

/** What the connector itself says of its settings. */
interface Validation {
  /** `setting: error`. */
  readonly errors: readonly string[];
  /** Settings that it does not know. */
  readonly unknown: readonly string[];
}

interface ValidatedConfigs {
  readonly configs: readonly {
    readonly value: { readonly name: string; readonly errors: readonly string[] };
  }[];
}

export async function validateConfig(address: string, config: ConnectorConfig): Promise<Validation> {
  const className = config['connector.class']?.split('.').at(-1);
  const response = await fetch(`${address}/connector-plugins/${className}/config/validate`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'validated', ...config }),
  });
  if (!response.ok) throw new Error(`${className}: ${await response.text()}`);
  const { configs } = (await response.json()) as ValidatedConfigs;
  const known = new Set(configs.map(({ value }) => value.name));
  return {
    errors: configs.flatMap(({ value: { name, errors } }) => errors.map((error) => `${name}: ${error}`)),
    unknown: Object.keys(config).filter((name) => !known.has(name)),
  };
}

export const slotOf = (name: string): string => `slot_${name}`;

interface Status {
  readonly connector: { readonly state: string; readonly trace?: string };
  readonly tasks: readonly { readonly state: string; readonly trace?: string }[];
}

/** A connector of a Connect worker, by the worker's REST interface. */
export interface Connector {
  readonly name: string;
  /** Creates it, or changes its settings. */
  configure(config: ConnectorConfig): Promise<void>;
  /** @throws Error with the trace of a task that failed */
  untilRunning(): Promise<void>;
  /** Ends its task; its offsets stay. */
  stop(): Promise<void>;
  resume(): Promise<void>;
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** @param tasks how many it has: one unless it is a sink */
export function connector(address: string, name: string, tasks = 1): Connector {
  const url = `${address}/connectors/${name}`;

  /** While the worker rebalances, it answers 409, and for a moment after a start 404 or 500. */
  const request = (path: string, method: string, body?: object): Promise<unknown> =>
    pollUntil(
      async () => {
        const response = await fetch(url + path, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (response.status === 400) throw new Error(`${name}: ${text}`);
        return response.ok && (text === '' || JSON.parse(text));
      },
      {
        what: `${method} ${path} of the connector ${name}`,
        timeoutMs: STATE_MS,
        intervalMs: 200,
        retryOn: isUnreachable,
      },
    );

  async function untilState(wanted: string, count: number): Promise<void> {
    const isInState = async () => {
      const { connector: whole, tasks: parts } = (await request('/status', 'GET')) as Status;
      const failed = [whole, ...parts].find(({ state }) => state === 'FAILED');
      if (failed !== undefined) throw new Error(`the connector ${name} failed:\n${failed.trace}`);
      return whole.state === wanted && parts.length === count && parts.every(({ state }) => state === wanted);
    };
    await pollUntil(isInState, {
      what: `the connector ${name} is ${wanted}`,
      timeoutMs: STATE_MS,
      intervalMs: 200,
    });
  }

  const untilRunning = () => untilState('RUNNING', tasks);
  return {
    name,
    async configure(config) {
      await request('/config', 'PUT', config);
    },
    untilRunning,
    async stop() {
      await request('/stop', 'PUT');
      await untilState('STOPPED', 0);
    },
    async resume() {
      await request('/resume', 'PUT');
      await untilRunning();
    },
    async restart() {
      await request('/restart?includeTasks=true', 'POST');
      await untilRunning();
    },
    async remove() {
      await request('', 'DELETE');
    },
  };
}

const isUnreachable = (error: unknown): boolean => error instanceof TypeError;
