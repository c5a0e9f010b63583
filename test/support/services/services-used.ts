import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Reporter } from 'vitest/node';

/** Names the file in which every process of the run notes the services it uses. */
const VARIABLE = 'TEST_SERVICES_USED';
const SERVICES = ['PostgreSQL', 'Kafka', 'Debezium', 'Apicurio', 'Redis', 'OpenSearch', 'Chromium'] as const;

type ServiceName = (typeof SERVICES)[number];

/** Notes for the end of the run that a test uses this version of a service, and where the service comes from. */
export function noteService(service: ServiceName, version: string, origin: string): void {
  const file = process.env[VARIABLE];
  if (file) appendFileSync(file, `${JSON.stringify([service, `${version} (${origin})`])}\n`);
}

/** Prints at the end of a run which real services its tests ran against. */
export class ServicesReporter implements Reporter {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'linernotes-services-'));
  readonly #file = path.join(this.#folder, 'used.ndjson');

  onInit(): void {
    appendFileSync(this.#file, '');
    process.env[VARIABLE] = this.#file;
  }

  onTestRunEnd(): void {
    const lines = readFileSync(this.#file, 'utf8').split('\n').filter(Boolean);
    const used = lines.map((line) => JSON.parse(line) as [ServiceName, string]);
    const report = SERVICES.map((service) => {
      const versions = new Set(used.filter(([name]) => name === service).map(([, version]) => version));
      return `  ${service.padEnd(12)}${[...versions].join(', ') || 'not used'}\n`;
    });
    process.stdout.write(`\n Real services of this run\n${report.join('')}\n`);
    rmSync(this.#folder, { recursive: true });
  }
}
