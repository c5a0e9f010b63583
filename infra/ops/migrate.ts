import { migrate } from '../../db/migrate.ts';
import type { AddCommand } from './command.ts';
import { databaseUrl } from './database.ts';

export const addMigrate: AddCommand = (program, print) =>
  program
    .command('migrate')
    .description('Bring the database to the newest schema. Prints the migrations that it ran.')
    .action(async () => {
      for (const name of await migrate(await databaseUrl())) print(name);
    });
