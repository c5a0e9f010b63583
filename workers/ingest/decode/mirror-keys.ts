import type { Source, SubjectColumn } from '../../../projections/contracts/contract.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { bareText, type Column, type WireRow } from './column-decoder.ts';
import { orderKey, rowKey, subjectValue } from './row-key.ts';

/** Reads a value from the canonical texts of a row's columns and from the original row. */
type Read<T> = (texts: readonly string[], row: WireRow) => T;

/** The mirror columns by which a row is stored and found. */
export interface MirrorKeys {
  readonly key: Read<string>;
  readonly subject: Read<string>;
  readonly links: Read<readonly SubjectRef[]>;
  readonly orderKey: Read<string>;
}

const NO_LINKS: readonly SubjectRef[] = [];

/** Compiles the readers of a source. @param columns all columns of the source, in its order */
export function compileMirrorKeys(source: Source, columns: readonly Column[]): MirrorKeys {
  const indexOf = (name: string): number => {
    const index = columns.findIndex((column) => column.name === name);
    if (index === -1) throw new Error(`${source.table} has no column ${name}`);
    return index;
  };
  const reader = (name: string): Read<string> => {
    const index = indexOf(name);
    const column = columns[index] as Column;
    return (texts, row) => bareText(column, texts[index] as string, row);
  };
  const key = source.key.map(reader);
  const subject = reader(source.subject.column);
  const links = source.alsoAbout.map((subject) => linkReader(subject, indexOf(subject.column), columns));
  const order = orderKey(source);
  const ordered = order.columns.map(reader);
  return {
    key: (texts, row) => rowKey(readAll(key, texts, row)),
    subject: (texts, row) => subjectValue(subject(texts, row)),
    links: links.length === 0 ? () => NO_LINKS : (texts, row) => links.flatMap((read) => read(texts, row)),
    orderKey: ordered.length === 0 ? () => '' : (texts, row) => order.of(readAll(ordered, texts, row)),
  };
}

function readAll(reads: readonly Read<string>[], texts: readonly string[], row: WireRow): string[] {
  const values: string[] = [];
  for (const read of reads) values.push(read(texts, row));
  return values;
}

function linkReader(
  { kind }: SubjectColumn,
  index: number,
  columns: readonly Column[],
): Read<readonly SubjectRef[]> {
  const column = columns[index] as Column;
  return (texts, row) => {
    const text = texts[index] as string;
    if (text === 'null') return NO_LINKS;
    const values = column.isList ? listTexts(text) : [bareText(column, text, row)];
    return values.map((value): SubjectRef => `${kind}:${subjectValue(value)}`);
  };
}

/** The items of a canonical list of ids: integers, or texts in quotes. */
function listTexts(text: string): string[] {
  if (text === '[]') return [];
  return text.includes('"') ? JSON.parse(text) : text.slice(1, -1).split(',');
}
