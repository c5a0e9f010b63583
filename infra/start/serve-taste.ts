import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { readContract, readEarlierRevisions } from '../../services/taste/contract/contract.ts';
import { type RunningTasteService, startTasteService } from '../../services/taste/server.ts';
import type { StartSettings } from './config.ts';

interface LocalTasteOptions {
  readonly databaseUrl: string;
  /** The folder of the data set, which keeps the secret. */
  readonly home: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: Logger;
}

/** Serves taste profiles on this machine, with a secret that is kept with the database unless one is configured. */
export async function serveTaste(
  config: StartSettings,
  { databaseUrl, home, port, log }: LocalTasteOptions,
): Promise<RunningTasteService> {
  const contract = readContract(config.TASTE_CONTRACT);
  return startTasteService({
    databaseUrl,
    port,
    publicUrl: config.TASTE_URL,
    secret: config.TASTE_SECRET ?? (await keptSecret(home)),
    contract,
    earlierRevisions: readEarlierRevisions(contract, config.TASTE_CONTRACT),
    log,
  });
}

/** The secret of the first start. All subjects are derived from it, so that it must not change. */
async function keptSecret(home: string): Promise<string> {
  const file = join(home, 'taste-secret');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const secret = randomBytes(32).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return secret;
}
