import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { orderKey } from './order-key.ts';
import { bareText, type Column, type WireRow } from './row-columns.ts';
import { rowKey, subjectValue } from './row-key.ts';

/** Under what a row is stored and found, made of the canonical texts of its columns and the row as it came. */
export interface RowAddress {
  key(texts: readonly string[], row: WireRow): string;
  subject(texts: readonly string[], row: WireRow): string;
  links(texts: readonly string[], row: WireRow): readonly SubjectRef[];
  orderKey(texts: readonly string[], row: WireRow): string;
}

const NO_LINKS: readonly SubjectRef[] = [];

/** Compiles how a source's rows are addressed. @param columns all columns of the source, in its order */
export function compileAddress(source: Source, columns: readonly Column[]): RowAddress {
  const reader = (name: string) => {
    const index = columns.findIndex((column) => column.name === name);
    const column = columns[index];
    if (column === undefined) throw new Error(`${source.table} has no column ${name}`);
    return (texts: readonly string[], row: WireRow) => bareText(column, texts[index] as string, row[name]);
  };
  const key = source.key.map(reader);
  const subject = reader(source.subject.column);
  const links = source.feeds.map((feed) => linkReader(feed.kind, feed.column, columns));
  const order = orderKey(source);
  const ordered = order.columns.map(reader);
  return {
    key: (texts, row) => rowKey(key.map((read) => read(texts, row))),
    subject: (texts, row) => subjectValue(subject(texts, row)),
    links: links.length === 0 ? () => NO_LINKS : (texts, row) => links.flatMap((read) => read(texts, row)),
    orderKey: ordered.length === 0 ? () => '' : (texts, row) => order.of(ordered.map((read) => read(texts, row))),
  };
}

function linkReader(kind: SubjectRef extends `${infer K}:${string}` ? K : never, name: string, columns: readonly Column[]) {
  const index = columns.findIndex((column) => column.name === name);
  const column = columns[index];
  if (column === undefined) throw new Error(`no column ${name} to link by`);
  return (texts: readonly string[], row: WireRow): SubjectRef[] => {
    const text = texts[index] as string;
    if (text === 'null') return [];
    const values = column.isList ? listTexts(text) : [bareText(column, text, row[name])];
    return values.map((value): SubjectRef => `${kind}:${subjectValue(value)}`);
  };
}

/** The items of a canonical list of ids: integers or quoted texts without escapes. */
function listTexts(text: string): string[] {
  if (text === '[]') return [];
  return text.includes('"') ? JSON.parse(text) : text.slice(1, -1).split(',');
}
