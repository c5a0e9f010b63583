import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { ClientBase } from 'pg';
import type { Source } from '../contracts/contract.ts';
import { prepareSeal, sealFrame } from './frame/frame.ts';
import {
  type Document,
  type Projection,
  type ReadRows,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from './projection.ts';
import { mirrorReader } from './read-rows.ts';
import type { SubjectRef } from './rows.ts';

/** What a read model would lose with the values of a column. */
export interface ColumnEffect {
  readonly readModel: string;
  /** Documents that were built for the trial, and how many of them would be others. */
  readonly documents: number;
  readonly changed: number;
  /** The members that would differ: facets, or `lookup keys`. */
  readonly members: readonly string[];
}

interface Trial {
  readonly source: Source;
  readonly column: string;
  readonly projections: readonly Projection[];
}

/** Rows with a value that the trial starts from, and rows that it searches for them. */
const SAMPLE = 50;
const SEARCHED = 100_000;

/**
 * Builds documents of some stored rows with and without a column, because no declaration says which facet reads which
 * column. So it shows what the column does to the rows there are, not all that it could do.
 */
export async function columnEffect(
  client: ClientBase,
  registry: SourceRegistry,
  { source, column, projections }: Trial,
): Promise<ColumnEffect[]> {
  const about = await subjectsWithValue(client, registry.idOf(source), { source, column });
  const readRows = mirrorReader(client, registry);
  const withoutColumn: ReadRows = async (reads, subjects) =>
    (await readRows(reads, subjects)).without(source, column);
  const effects: ColumnEffect[] = [];
  for (const projection of projections) {
    const kinds = projection.reads.filter((read) => read.source === source).flatMap(({ by }) => by);
    const keys = about.filter((ref) => kinds.includes(splitRef(ref).kind));
    if (kinds.length === 0) continue;
    const now = await build(projection, keys, { readRows, registry });
    const then = await build(projection, [...now.keys()], { readRows: withoutColumn, registry });
    const differing = [...now].map(([key, document]) => differences(document, then.get(key) ?? null));
    effects.push({
      readModel: projection.name,
      documents: now.size,
      changed: differing.filter((members) => members.length > 0).length,
      members: [...new Set(differing.flat())].sort(),
    });
  }
  return effects;
}

async function subjectsWithValue(
  client: ClientBase,
  sourceId: number,
  { source, column }: Pick<Trial, 'source' | 'column'>,
): Promise<SubjectRef[]> {
  const { rows } = await client.query<{ subject: string; links: SubjectRef[] }>(
    `select subject, array(select link.subject from ingest.link where link.source = $1 and link.key = stored.key) as links
     from (select key, subject, row from ingest.mirror where source = $1 and row is not null limit ${SEARCHED}) stored
     where row::json ->> $2 is not null
     limit ${SAMPLE}`,
    [sourceId, column],
  );
  const refs = rows.flatMap(({ subject, links }) => [subjectRef(source.subject.kind, subject), ...links]);
  return [...new Set(refs)];
}

/** The documents of keys and of their dependents. */
async function build(
  { project }: Projection,
  keys: readonly SubjectRef[],
  { readRows, registry }: { readonly readRows: ReadRows; readonly registry: SourceRegistry },
): Promise<Map<SubjectRef, Document | null>> {
  const own = await project(keys, readRows, registry);
  const dependents = own.flatMap((one) => one.dependents).filter((key) => !keys.includes(key));
  const others = await project([...new Set(dependents)].slice(0, SAMPLE), readRows, registry);
  return new Map([...own, ...others].map(({ key, document }) => [key, document]));
}

function differences(before: Document | null, after: Document | null): string[] {
  if (before === null || after === null) return before === after ? [] : ['the whole document'];
  if (before.hash.equals(after.hash)) return [];
  const [one, other] = [membersOf(before), membersOf(after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const differing = [...names].filter((name) => !isDeepStrictEqual(one[name], other[name]));
  return isDeepStrictEqual(before.lookupKeys, after.lookupKeys) ? differing : [...differing, 'lookup keys'];
}

const GZIP = 0x1f;
const seal = prepareSeal('1970-01-01T00:00:00Z', () => false);

/** The members of a document; of a dossier within another object, its own. */
function membersOf(document: Document): Readonly<Record<string, unknown>> {
  const body = document.body();
  const text = body[0] === GZIP ? gunzipSync(sealFrame(body, seal)).toString() : body.toString();
  const value = JSON.parse(text) as Record<string, unknown>;
  const inner = Object.values(value).find(isDossier);
  return inner ?? value;
}

const isDossier = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && 'provenance' in value;
