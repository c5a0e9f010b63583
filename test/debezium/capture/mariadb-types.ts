import { writeFileSync } from 'node:fs';
import { jsonText, parseJsonAsWritten } from '../../../workers/ingest/decode/json.ts';
import { pollUntil } from '../../support/poll.ts';
import { startConnectWorker } from '../../support/services/connect-worker.ts';
import { createTopics } from '../../support/services/kafka.ts';
import { startLocalKafka } from '../../support/services/kafka-local.ts';
import { connector, guideConfig } from '../connector.ts';
import { readTopics, topicEnds } from '../topic-log.ts';
import { startMariaDb } from './mariadb-server.ts';

/**
 * Writes what the MariaDB connector sends of one value of each type, with the settings of the producers' guide, to
 * test/data/connectors: one line `{type, sql, value}` a value.
 */
const FILE = new URL('../../data/connectors/mariadb-types.ndjson', import.meta.url);
const ID = 'a1'.repeat(32);
const UUID = '7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11';

const VALUES: readonly (readonly [type: string, sql: string])[] = [
  ['tinyint', '-128'],
  ['smallint', '-32768'],
  ['mediumint', '8388607'],
  ['int', '2147483647'],
  ['int unsigned', '4294967295'],
  ['bigint', '9223372036854775807'],
  ['bigint unsigned', '9223372036854775807'],
  ['year', '2155'],
  ['decimal(12,4)', '42.1800'],
  ['decimal(20)', '12345678901234567890'],
  ['float', '0.25'],
  ['double', '1.7976931348623157e308'],
  ['boolean', 'true'],
  ['bit(1)', `b'1'`],
  ['bit(7)', `b'101'`],
  ['binary(32)', `unhex('${ID}')`],
  ['varbinary(32)', `unhex('${ID}')`],
  ['binary(16)', `unhex('${UUID.replaceAll('-', '')}')`],
  ['char(64)', `'${ID}'`],
  ['char(36)', `'${UUID}'`],
  ['char(8)', `'Änne'`],
  ['varchar(80)', `'Änne'`],
  ['text', `'2018-02'`],
  [`enum('major','minor')`, `'major'`],
  [`set('a','b')`, `'a,b'`],
  ['json', `'{"b": 28.0, "a": [1]}'`],
  ['json', `'["a", "b"]'`],
  ['json', `'[1, 2]'`],
  ['date', `'2018-02-10'`],
  ['date', `'0001-01-01'`],
  ['timestamp(6)', `'2018-02-10 21:13:00.25'`],
  ['datetime', `'2018-02-10 21:13:00'`],
  ['datetime(3)', `'2018-02-10 21:13:00.25'`],
  ['datetime(6)', `'2018-02-10 21:13:00.25'`],
  ['time', `'21:13:00'`],
  ['point', 'point(1, 2)'],
];

const TOPIC = 'producers.seen.typed';
const undo: (() => Promise<unknown>)[] = [];

async function main(): Promise<void> {
  const [kafka, server] = await Promise.all([startLocalKafka(), startMariaDb()]);
  undo.push(kafka.stop, server.stop);
  const worker = await startConnectWorker(kafka.address, { connectors: ['mariadb'] });
  undo.push(worker.stop);
  await createTopics(kafka.address, [{ topic: TOPIC }]);
  const columns = VALUES.map(([type], index) => `c${index} ${type} null`).join(', ');
  await server.sql(`create database seen; use seen; create table typed (id integer primary key, ${columns});
    insert into typed values (1, ${VALUES.map(([, sql]) => sql).join(', ')});
    create user debezium@'%' identified by 'secret'; grant all on *.* to debezium@'%'`);
  const capture = connector(worker.address, 'types');
  await capture.configure({
    ...guideConfig('mariadb'),
    'database.hostname': '127.0.0.1',
    'database.port': String(server.port),
    'database.password': 'secret',
    'signal.kafka.bootstrap.servers': kafka.address,
    'schema.history.internal.kafka.bootstrap.servers': kafka.address,
    'table.include.list': 'seen.typed',
  });
  await capture.untilRunning();
  await pollUntil(async () => (await topicEnds(kafka.address, [TOPIC])).get(`${TOPIC}/0`) === 1);
  const [record] = await readTopics(kafka.address, [TOPIC]);
  // Numbers stay as they were written.
  const { after } = parseJsonAsWritten(record?.value ?? '') as { after: Readonly<Record<string, unknown>> };
  const lines = VALUES.map(([type, sql], index) => jsonText({ type, sql, value: after[`c${index}`] }));
  writeFileSync(FILE, `${lines.join('\n')}\n`);
}

try {
  await main();
} finally {
  for (const step of undo.reverse()) await step();
}
