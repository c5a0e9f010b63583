import path from 'node:path';
import { freePort } from '../../../infra/embedded/free-port.ts';
import { javaServer } from './java-server.ts';
import { fromMaven } from './maven.ts';
import type { TestService } from './service.ts';

export const APICURIO_VERSION = '2.6.13.Final';

/** A schema registry; its address is that of its API like Confluent's. */
export interface SchemaRegistryService extends TestService {
  /** Base of its own API, which its converters use. */
  readonly ownApi: string;
  kill(): Promise<void>;
  /** Begins empty again: it keeps the schemas in memory. */
  start(): Promise<void>;
}

/** Apicurio's registry with its schemas in memory. */
export async function startSchemaRegistry(): Promise<SchemaRegistryService> {
  const home = await fromMaven({
    name: `apicurio-registry-${APICURIO_VERSION}`,
    libraries: [],
    archives: [`io.apicurio:apicurio-registry-app:${APICURIO_VERSION}:tar.gz:all`],
  });
  const port = await freePort();
  const server = `http://127.0.0.1:${port}`;
  const address = `${server}/apis/ccompat/v7`;
  const isReady = () =>
    fetch(`${address}/subjects`).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
  const java = await javaServer({
    name: 'Apicurio Registry',
    jars: path.join(home, 'plugins'),
    isReady,
    properties: { 'quarkus.http.host': '127.0.0.1', 'quarkus.http.port': port, 'quarkus.log.level': 'WARN' },
  });
  const start = () => java.start('io.quarkus.runner.GeneratedMain');
  try {
    await start();
  } catch (error) {
    await java.remove();
    throw error;
  }
  const { kill, remove: stop } = java;
  return {
    address,
    ownApi: `${server}/apis/registry/v2`,
    origin: 'local server from Maven jars',
    start,
    kill,
    stop,
  };
}

/** The folder with Apicurio's converters for Kafka Connect, a plugin of a Connect worker. */
export const registryConverters = (): Promise<string> =>
  fromMaven({
    name: `apicurio-converters-${APICURIO_VERSION}`,
    libraries: [`io.apicurio:apicurio-registry-utils-converter:${APICURIO_VERSION}`],
  });
