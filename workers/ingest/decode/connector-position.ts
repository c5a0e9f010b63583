/** The position of a change as another connector than PostgreSQL's states it. */
export interface ConnectorPosition {
  readonly form: 'binlog' | 'oplog';
  /** Newest commit and own position for a version, 32 hex digits; null if they are unreadable. */
  readonly digits: string | null;
}

/** How the connectors that are supported order their changes: `source.connector`. */
const FORMS: ReadonlyMap<unknown, 'log' | ConnectorPosition['form']> = new Map([
  // Other producers than Debezium need not name a connector.
  [undefined, 'log'],
  [null, 'log'],
  ['postgresql', 'log'],
  ['mysql', 'binlog'],
  ['mariadb', 'binlog'],
  ['mongodb', 'oplog'],
]);

export const isSupported = (connector: unknown): boolean => FORMS.has(connector);

interface Placed {
  /** Whether it is a row of a snapshot. */
  readonly isRead: boolean;
  readonly sourceTimeMs: number;
}

/** The position of a change of MySQL, MariaDB or MongoDB; undefined for other connectors. */
export function connectorPosition(
  origin: Readonly<Record<string, unknown>>,
  { isRead, sourceTimeMs }: Placed,
): ConnectorPosition | undefined {
  const form = FORMS.get(origin.connector);
  if (form === 'binlog') return { form, digits: binlogDigits(origin, isRead) };
  // The connector states the second of its clock and a counter of another clock: together they are no order.
  if (form === 'oplog') return { form, digits: hex(sourceTimeMs, 16).repeat(2) };
  return undefined;
}

const FILE_NUMBER = /\.(\d{1,10})$/;
/** Every file begins with four bytes that mark it as a log. */
const FIRST_POSITION = 4;
const MAX_UINT32 = 2 ** 32 - 1;

/** The log is in the order of commits: file and position of the event, then the row in the event. */
function binlogDigits({ file, pos, row }: Readonly<Record<string, unknown>>, isRead: boolean): string | null {
  const number = Number((typeof file === 'string' ? FILE_NUMBER.exec(file) : null)?.[1] ?? Number.NaN);
  const index = row ?? 0;
  if (!isWithin(number, 1) || !isWithin(pos, FIRST_POSITION) || !isWithin(index, 0)) return null;
  const event = hex(number, 8) + hex(pos, 8);
  // Rows of a snapshot are recognized by equal positions where nothing else says so.
  return event + (isRead ? event : hex(index, 16));
}

const isWithin = (value: unknown, min: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= MAX_UINT32;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
