import type { Command } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { Source } from '../../projections/contracts/contract.ts';
import { sourceByTable } from '../../projections/contracts/index.ts';
import type { Projection } from '../../projections/engine/projection.ts';
import { projectionByName } from '../../projections/index.ts';

/** Writes one line of a result. */
export type Print = (line: string) => void;

/** Adds a command to the program. Its results go to `print`. */
export type AddCommand = (program: Command, print: Print) => void;

/** An error in what the operator typed: the command prints it with its usage and ends with exit code 2. */
export const usageError = (message: string): Error => new InvalidArgumentError(message);

export const wholeNumber =
  (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw usageError(`It must be a whole number from ${min} to ${max}.`);
  };

/** The reason for the audit trail. */
export function reason(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw usageError('It must not be blank: the audit trail keeps it.');
  return trimmed;
}

export function projection(name: string): Projection {
  const found = projectionByName.get(name);
  if (found === undefined)
    throw usageError(`Allowed choices are ${[...projectionByName.keys()].join(', ')}.`);
  return found;
}

export function source(table: string): Source {
  const found = sourceByTable.get(table);
  if (found === undefined) throw usageError(`No source is called "${table}"; see: sources list.`);
  return found;
}
