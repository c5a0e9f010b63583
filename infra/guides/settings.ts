import type { TObject, TSchema } from '@sinclair/typebox';
import { DayConfig } from '../../projections/engine/config.ts';
import { LinkConfig } from '../../projections/models/config.ts';
import { QuerySettings, RENAMED } from '../../services/query/config.ts';
import { TasteServiceSettings } from '../../services/taste/config.ts';
import { IngestConfig } from '../../workers/ingest/config.ts';
import { JobsConfig } from '../../workers/jobs/config.ts';
import { SearchJobConfig } from '../../workers/jobs/search-generation/cluster/config.ts';
import { ProjectConfig } from '../../workers/project/config.ts';
import { TasteImportConfig } from '../../workers/taste/config.ts';
import { OpsConfig } from '../ops/config.ts';
import { choicesOf } from '../runtime/config.ts';
import { StartConfig } from '../start/config.ts';

/** The settings of each process, in the order of the page. */
const PROCESSES: readonly (readonly [process: string, schemas: readonly TObject[]])[] = [
  ['ingest', [IngestConfig]],
  ['projector', [ProjectConfig, LinkConfig]],
  ['jobs', [JobsConfig, SearchJobConfig, TasteImportConfig, DayConfig, LinkConfig]],
  ['API', [QuerySettings, DayConfig]],
  ['taste profiles', [TasteServiceSettings]],
  ['`npm start`', [StartConfig, DayConfig, LinkConfig]],
  ['`npm run ops`', [OpsConfig, DayConfig, LinkConfig]],
];

const HEAD = `# Settings

Environment variables, one row per variable; a variable that means something else in another process has a row for each meaning. A blank variable counts as unset. A process that finds settings missing or malformed
prints a line for each and exits with 1. This page is generated from the schemas in each \`config.ts\`; \`npm run settings\` writes it.

| variable | default | unit | process | meaning |
|---|---|---|---|---|
`;

/** The units of settings, by the end of their names. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_MS$/, 'milliseconds'],
  [/_DAYS$/, 'days'],
  [/_PER_MINUTE$/, 'per minute'],
  [/PORT$/, 'port'],
  [/_URL$/, 'URL'],
  [/_BYTES_PER_SECOND$/, 'bytes per second'],
  [/_BYTES$/, 'bytes'],
  [/_BROKERS$/, 'host:port'],
  [/_(ON|OF)$/, 'date'],
  [/_SECRET$/, 'text, 32 characters or more'],
  [/_(SIZE|QUEUE|CONCURRENCY|REQUESTS|CONNECTIONS|PAGES)$/, 'count'],
];

interface SettingRow {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  readonly processes: string[];
}

/** The reference page of all settings, as Markdown. @throws Error for a setting without a description */
export function renderSettings(): string {
  const rows = new Map<string, SettingRow>();
  for (const [process, schemas] of PROCESSES)
    for (const schema of schemas)
      for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
        if (property.description === undefined) throw new Error(`${name} of ${process} has no description`);
        const fallback = fallbackOf(property, schema.required?.includes(name) ?? false);
        const meaning = property.description + choices(property);
        const key = [name, fallback, meaning].join('\n');
        const row = rows.get(key) ?? { name, fallback, meaning, processes: [] };
        rows.set(key, row);
        row.processes.push(process);
      }
  const sorted = [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `${HEAD}${sorted.map(lineOf).join('\n')}\n${OLD_NAMES}`;
}

/** Each process that has them logs a warning. */
const OLD_NAMES = `
| old name | new name | |
|---|---|---|
${Object.entries(RENAMED)
  .map(([oldName, newName]) => `| \`${oldName}\` | \`${newName}\` | works until the next minor version |`)
  .join('\n')}
`;

const fallbackOf = ({ default: fallback }: TSchema, isRequired: boolean): string => {
  if (fallback !== undefined) return `\`${fallback}\``;
  return isRequired ? 'required' : '';
};

const choices = (property: TSchema): string => {
  const values = choicesOf(property);
  return values.length === 0 ? '' : ` One of ${values.map((choice) => `\`${choice}\``).join(', ')}.`;
};

const lineOf = ({ name, fallback, meaning, processes }: SettingRow): string => {
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1] ?? '';
  return `| \`${name}\` | ${fallback} | ${unit} | ${processes.join(', ')} | ${meaning} |`;
};
