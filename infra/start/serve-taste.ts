import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { readContract } from '../../services/taste/contract/contract.ts';
import { startTasteService, type TasteService } from '../../services/taste/server.ts';

export interface TasteHere {
  readonly databaseUrl: string;
  /** The folder that keeps the database. */
  readonly home: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly log: Logger;
}

/** Serves taste profiles on this machine, with a secret that is kept beside the database. */
export async function serveTaste({ databaseUrl, home, port, log }: TasteHere): Promise<TasteService> {
  return startTasteService({
    databaseUrl,
    port,
    publicUrl: process.env.TASTE_URL || undefined,
    secret: process.env.TASTE_SECRET || (await keptSecret(home)),
    contract: readContract(process.env.TASTE_CONTRACT || undefined),
    log,
  });
}

/** The secret of the first start, by which everybody's subject is named for ever. */
async function keptSecret(home: string): Promise<string> {
  const file = join(home, 'taste-secret');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const secret = randomBytes(32).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return secret;
}
