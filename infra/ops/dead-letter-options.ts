import { type Command, Option } from '@commander-js/extra-typings';
import { sourceByTable } from '../../projections/contracts/index.ts';
import { DEAD_LETTER_CLASSES } from '../../workers/ingest/dead-letters/dead-letter.ts';
import type { DeadLetterSelector } from '../../workers/ingest/dead-letters/select-dead-letters.ts';
import { usageError, wholeNumber } from './command.ts';

/** The separator of the parts of a mirror key, and a sign for it that is visible and can be typed. */
const SEPARATOR = '\u001f';
const SEPARATOR_SIGN = '␟';

export const shownKey = (key: string | null): string | null =>
  key?.replaceAll(SEPARATOR, SEPARATOR_SIGN) ?? null;

function instant(text: string): Date {
  const found = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(found.getTime()))
    throw usageError('It must be a day or an instant such as 2026-08-01T06:00:00Z.');
  return found;
}

/** The options that select dead letters. A dead letter has to match all of them. */
export const withSelection = <A extends unknown[], O extends Record<string, unknown>>(
  command: Command<A, O>,
) =>
  command
    .option('--source <table>', 'of this table')
    .addOption(new Option('--class <class>', 'of this class').choices(DEAD_LETTER_CLASSES))
    .option('--key <key>', `of this row; ${SEPARATOR_SIGN} separates the parts of a key`)
    .option('--since <instant>', 'recorded at this day or instant, or later', (text) => ({
      text,
      at: instant(text),
    }));

export const idOption = (): Option<'--id <id>', undefined, undefined, number[]> =>
  new Option('--id <id>', 'with this id; may be repeated').argParser(
    (text, previous: number[] | undefined) => [...(previous ?? []), wholeNumber()(text)],
  );

export interface Selection {
  readonly source?: string | undefined;
  readonly class?: DeadLetterSelector['class'] | undefined;
  readonly key?: string | undefined;
  readonly since?: { readonly text: string; readonly at: Date } | undefined;
  readonly id?: readonly number[] | undefined;
}

export const selectorOf = ({ source, class: ofClass, key, since, id }: Selection): DeadLetterSelector => ({
  ...(source === undefined ? {} : { table: source }),
  ...(ofClass === undefined ? {} : { class: ofClass }),
  ...(key === undefined ? {} : { key: key.replaceAll(SEPARATOR_SIGN, SEPARATOR) }),
  ...(since === undefined ? {} : { since: since.at }),
  ...(id === undefined ? {} : { ids: id }),
});

/** Call if nothing was found: dead letters of a source that was removed can be found. @throws if the source is unknown */
export function requireKnownSource({ source }: Selection): void {
  if (source !== undefined && !sourceByTable.has(source))
    throw usageError(`no source is called "${source}", and it has no dead letters; see: sources list`);
}

/** The selection as the operator typed it, for the audit trail. */
export function describeSelection({ source, class: ofClass, key, since, id }: Selection): string {
  const parts = Object.entries({ source, class: ofClass, key, since: since?.text, id: id?.join(',') });
  const given = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return given.length === 0 ? 'all' : given.join(' ');
}
