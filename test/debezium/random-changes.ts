import type { SeededRandom } from '../faults/random.ts';
import type { ProducerColumn, ProducerTable } from './producer-table.ts';

/** Awkward pieces of text. */
const PIECES = ['é', '日本', '😀', "''", '\\', '<&>', ' ', '"', '{}', 'NULL'];
const MOST_ROWS = 12;

const quoted = ({ name }: ProducerColumn): string => `"${name}"`;
const isKey = ({ source }: ProducerTable, { name }: ProducerColumn): boolean => source.key.includes(name);
const namesOf = ({ columns }: ProducerTable): string => columns.map(quoted).join(', ');

/** Some rows, the same ones for a seed, without those that another open transaction has changed. */
const someRows = ({ source }: ProducerTable, random: SeededRandom): string =>
  `ctid = any(array(select ctid from ${source.table} t order by md5(t::text || ${random.below(1e9)})
     limit ${1 + random.below(MOST_ROWS)} for update skip locked))`;

/** Another value of a key column, which no row has yet; null for types that keys rarely change in. */
function newKey(column: ProducerColumn, random: SeededRandom): string | null {
  const name = quoted(column);
  const salt = random.below(1e9);
  switch (column.encoding) {
    case 'hex':
      return column.sqlType === 'bytea'
        ? `sha256(${name} || '${salt}'::bytea)`
        : `encode(sha256(convert_to(${name} || '${salt}', 'UTF8')), 'hex')`;
    case 'text':
      return `left(${name}, 20) || '~' || md5(${name} || ${salt})`;
    case 'int':
      return `${name} + ${1_000 + salt}`;
    case 'uuid':
      return `md5(${name}::text || ${salt})::uuid`;
    default:
      return null;
  }
}

function newValue(column: ProducerColumn, random: SeededRandom): string | null {
  const name = quoted(column);
  if (column.isNullable && random.below(5) === 0) return 'null';
  if (column.values !== null) return null;
  if (column.isList)
    return column.encoding === 'text' ? `array['a,b', '"q"', '{x}', 'NULL', 'é']::${column.sqlType}` : null;
  switch (column.encoding) {
    case 'int':
      return `coalesce(${name}, 0) + 1`;
    case 'num':
      return `coalesce(${name}, 0) + 0.125`;
    case 'bool':
      return `not coalesce(${name}, false)`;
    case 'text':
      return `left(coalesce(${name}, ''), 300) || E'${random.oneOf(PIECES).replaceAll('\\', '\\\\')}'`;
    case 'ts':
      return `${name} + interval '${1 + random.below(99_999)} seconds 123456 microseconds'`;
    case 'date':
      return `${name} + ${1 + random.below(9)}`;
    default:
      return null;
  }
}

function update(table: ProducerTable, random: SeededRandom): string {
  const changes = table.columns.flatMap((column) => {
    if (isKey(table, column) || column.name === table.source.subject.column || random.below(2) === 0)
      return [];
    const value = newValue(column, random);
    return value === null ? [] : [`${quoted(column)} = ${value}`];
  });
  const [first] = table.source.key;
  if (changes.length === 0) changes.push(`"${first}" = "${first}"`);
  return `update ${table.source.table} set ${changes.join(', ')} where ${someRows(table, random)}`;
}

const remove = (table: ProducerTable, random: SeededRandom): string =>
  `delete from ${table.source.table} where ${someRows(table, random)}`;

function changeKey(table: ProducerTable, random: SeededRandom): string {
  const column = random.oneOf(table.columns.filter((each) => isKey(table, each)));
  const value = newKey(column, random);
  if (value === null) return update(table, random);
  return `update ${table.source.table} set ${quoted(column)} = ${value} where ${someRows(table, random)}`;
}

function insert(table: ProducerTable, random: SeededRandom): string {
  const column = random.oneOf(table.columns.filter((each) => isKey(table, each)));
  const value = newKey(column, random);
  if (value === null) return update(table, random);
  const values = table.columns.map((each) => (each === column ? value : quoted(each)));
  return `insert into ${table.source.table} (${namesOf(table)}) select ${values.join(', ')}
    from ${table.source.table} where ${someRows(table, random)}`;
}

/** Deletes rows and writes them again in the same transaction. */
function rewrite(table: ProducerTable, random: SeededRandom): string {
  const { table: name, key } = table.source;
  const kept = `kept_${random.below(1e9)}`;
  return `create temp table ${kept} on commit drop as select * from ${name} where ${someRows(table, random)};
    delete from ${name} where (${key.join(', ')}) in (select ${key.join(', ')} from ${kept});
    insert into ${name} select * from ${kept}`;
}

/** A key that changes beside a value which the log leaves out has to be tested apart from all others. */
const hasLargeValues = ({ columns }: ProducerTable): boolean =>
  columns.some(({ encoding }) => encoding === 'json');

/** Random statements on random tables, one transaction's worth. They may run beside other open transactions. */
export function randomStatements(random: SeededRandom, tables: readonly ProducerTable[]): string[] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const table = random.oneOf(tables);
    const at = random.below(100);
    if (at < 50) return update(table, random);
    if (at < 65) return insert(table, random);
    if (at < 80) return remove(table, random);
    return at < 90 && !hasLargeValues(table) ? changeKey(table, random) : rewrite(table, random);
  });
}
