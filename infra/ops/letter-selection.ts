import { sourceByTable } from '../../projections/sources/index.ts';
import {
  LETTER_CLASSES,
  LETTER_STATES,
  type LetterState,
} from '../../workers/ingest/dead-letters/letter-class.ts';
import type { LetterSelector } from '../../workers/ingest/dead-letters/select-letters.ts';
import { usageError } from './command.ts';

/** Options that say which dead letters are meant; all that are given have to hold. */
export const SELECTION = {
  source: { type: 'string' },
  class: { type: 'string' },
  key: { type: 'string' },
  since: { type: 'string' },
  id: { type: 'string', multiple: true },
} as const;

export const SELECTION_USAGE = '[--source TABLE] [--class CLASS] [--key KEY] [--since INSTANT] [--id ID]...';

export interface SelectionValues {
  readonly source?: string | undefined;
  readonly class?: string | undefined;
  readonly key?: string | undefined;
  readonly since?: string | undefined;
  readonly id?: readonly string[] | undefined;
}

/** What stands between the parts of a mirror key, and a sign for it that can be seen and typed. */
const SEPARATOR = '\u001f';
const SEPARATOR_SIGN = '␟';

export const shownKey = (key: string | null): string | null =>
  key?.replaceAll(SEPARATOR, SEPARATOR_SIGN) ?? null;

export function selectorOf(values: SelectionValues): LetterSelector {
  const { source, key, since, id } = values;
  return {
    ...(source === undefined ? {} : { table: source }),
    ...(values.class === undefined ? {} : { class: oneOf('class', LETTER_CLASSES, values.class) }),
    ...(key === undefined ? {} : { key: key.replaceAll(SEPARATOR_SIGN, SEPARATOR) }),
    ...(since === undefined ? {} : { since: instantOf(since) }),
    ...(id === undefined ? {} : { ids: id.map(idOf) }),
  };
}

/** @throws where nothing was found because no source is called so; letters of a source that was retired are found */
export function requireKnownSource({ source }: SelectionValues): void {
  if (source !== undefined && !sourceByTable.has(source))
    throw new Error(`no source is called "${source}", and no dead letter is of it; see: sources list`);
}

/** The selection as it was typed, for the audit. */
export function describeSelection(values: SelectionValues): string {
  const { source, key, since, id } = values;
  const parts = Object.entries({ source, class: values.class, key, since, id: id?.join(',') });
  const given = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return given.length === 0 ? 'all' : given.join(' ');
}

export const isEmpty = (selector: LetterSelector): boolean => Object.keys(selector).length === 0;

/** @returns null for all states */
export const stateOf = (text: string): LetterState | null =>
  text === 'all' ? null : oneOf('state', [...LETTER_STATES], text, 'all');

export function idOf(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id))
    throw usageError(`an id is a whole number, not "${text}"`);
  return id;
}

/** A whole number of at least 1. */
export function countOf(name: string, text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count))
    throw usageError(`--${name} is a whole number from 1, not "${text}"`);
  return count;
}

function instantOf(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(instant.getTime()))
    throw usageError(`--since is a day or an instant such as 2026-08-01T06:00:00Z, not "${text}"`);
  return instant;
}

function oneOf<T extends string>(
  name: string,
  known: readonly T[],
  text: string,
  ...others: readonly string[]
): T {
  const found = known.find((one) => one === text);
  if (found === undefined)
    throw usageError(`--${name} is one of ${[...known, ...others].join(', ')}, not "${text}"`);
  return found;
}
