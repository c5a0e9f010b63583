import { parseArgs } from 'node:util';
import { migrate as migrateDatabase } from '../../db/migrate.ts';
import type { Command } from './command.ts';
import { databaseUrl } from './database.ts';

export const migrate: Command = {
  usage: ['migrate'],
  async run(args, print) {
    parseArgs({ args: [...args], options: {} });
    for (const name of await migrateDatabase(await databaseUrl())) print(name);
  },
};
