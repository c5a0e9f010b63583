import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { envSchema } from 'env-schema';
import type { LevelWithSilent } from 'pino';
import { givenNames, type RenamedSettings, withNewNames } from './renamed-settings.ts';

/** Settings that a process cannot start with. A process that does not catch it prints its lines and exits with 1. */
export class SettingsError extends Error {}

// Its stack would only hide which setting to correct.
process.on('uncaughtExceptionMonitor', (error) => {
  if (!(error instanceof SettingsError)) return;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

const LEVELS: readonly LevelWithSilent[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The setting `LOG_LEVEL` of a process. */
export const logLevel = (fallback: LevelWithSilent) =>
  Type.Unsafe<LevelWithSilent>({
    type: 'string',
    enum: LEVELS,
    default: fallback,
    description: 'The least severe level that is logged.',
  });

/** Forms of settings. An error shows the example. */
export const POSTGRES_URL = { pattern: '^postgres(ql)?://', examples: ['postgres://user@host/database'] };
export const REDIS_URL = { pattern: '^rediss?://', examples: ['redis://host:6379'] };

/** The settings of the port for operators, which every long-running process has. */
export const operationsSettings = {
  OPS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port of `/metrics`, `/health` and `/ready`. Without it the process serves none of them.',
    }),
  ),
  OPS_HOST: Type.String({ default: '127.0.0.1', description: 'Address on which `OPS_PORT` listens.' }),
};

/** The settings that all workers share. */
export const WorkerConfig = Type.Object({
  DATABASE_URL: Type.String({ minLength: 1, description: 'URL of the PostgreSQL database.' }),
  LOG_LEVEL: logLevel('info'),
  ...operationsSettings,
});

/** Whether a text is a calendar day written YYYY-MM-DD. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Instances of ajv are costly, so all calls share this one. */
const withDays = new Ajv({
  allErrors: true,
  removeAdditional: true,
  useDefaults: true,
  coerceTypes: true,
  formats: { date: isDay },
});

interface ReadOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Old names that still work. */
  readonly renamed?: RenamedSettings;
  /** Optional settings that must be set together. */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the settings of a schema from the environment. A blank variable counts as unset.
 *
 * @throws SettingsError with a line for every setting that is missing or malformed, without its value
 */
export function readConfig<T extends TObject>(
  schema: T,
  { environment = process.env, renamed = {}, dependencies = {} }: ReadOptions = {},
): Static<T> {
  const data = Object.fromEntries(
    Object.entries(withNewNames(environment, renamed)).filter(([, value]) => value?.trim()),
  );
  try {
    // A copy, because env-schema writes into the schema.
    return envSchema<Static<T>>({
      schema: { ...schema, dependencies },
      data,
      env: false,
      ajv: withDays,
    });
  } catch (error) {
    const { errors } = error as { errors?: readonly Violation[] };
    if (errors === undefined) throw error;
    throw new SettingsError(linesOf(errors, { schema, given: givenNames(environment, renamed) }).join('\n'));
  }
}

/** What ajv reports. */
interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One line for each setting, with the name that the operator gave it. */
function linesOf(
  violations: readonly Violation[],
  { schema, given }: { readonly schema: TObject; readonly given: ReadonlyMap<string, string> },
): string[] {
  const lines = new Map<string, string>();
  for (const violation of violations) {
    const { missingProperty } = violation.params;
    const name = String(missingProperty ?? violation.instancePath.slice(1));
    const oldName = given.get(name);
    const renaming = oldName === undefined ? '' : `; it was renamed: use ${name}`;
    const line = `setting ${oldName ?? name} ${demandOf(violation, schema.properties[name])}${renaming}`;
    // The first violation of a choice is that of its first value; the choices are the same for all.
    if (!lines.has(name)) lines.set(name, line);
  }
  return [...lines.values()];
}

const KINDS: Readonly<Record<string, string>> = {
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

function demandOf({ keyword, params, message }: Violation, property?: TSchema): string {
  const choices = property === undefined ? [] : choicesOf(property);
  if (choices.length > 0) return `must be one of ${choices.join(', ')}`;
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'dependencies':
      return `is missing: ${params.property} needs it`;
    case 'type':
      return KINDS[String(params.type)] ?? `must be a ${params.type}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'format':
      return 'must be a day written YYYY-MM-DD';
    case 'pattern':
      return `must look like ${property?.examples}`;
    default:
      return message ?? 'is malformed';
  }
}

/** The values of a setting that allows only some. */
export const choicesOf = ({ anyOf, enum: values }: TSchema): readonly string[] =>
  values ?? anyOf?.map((choice: TSchema) => choice.const) ?? [];
