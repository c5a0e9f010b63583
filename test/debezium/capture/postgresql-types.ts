import { writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { jsonText, parseJsonAsWritten } from '../../../workers/ingest/decode/json.ts';
import { pollUntil } from '../../support/poll.ts';
import { startConnectWorker } from '../../support/services/connect-worker.ts';
import { createTopics } from '../../support/services/kafka.ts';
import { startLocalKafka } from '../../support/services/kafka-local.ts';
import { startCrashablePostgres } from '../../support/services/postgres-crash.ts';
import { connector, guideConfig, HEARTBEAT_TABLE, serverConfig } from '../connector.ts';
import { readTopics, topicEnds } from '../topic-log.ts';

/**
 * Writes what the PostgreSQL connector sends of one value of each type, with the settings of the producers' guide, to
 * test/data/connectors: one line `{type, sql, value}` a value.
 */
const FILE = new URL('../../data/connectors/postgresql-types.ndjson', import.meta.url);
const ID = 'a1'.repeat(32);

const VALUES: readonly (readonly [type: string, sql: string])[] = [
  ['smallint', '-32768'],
  ['integer', '2147483647'],
  ['bigint', '9223372036854775807'],
  ['numeric', '42.1800'],
  ['numeric(12,4)', '-0.0001'],
  ['numeric(20)', '12345678901234567890'],
  ['numeric', `'NaN'`],
  ['real', '0.25'],
  ['double precision', '1.7976931348623157e308'],
  ['double precision', `'Infinity'`],
  ['money', '12.5'],
  ['boolean', 'true'],
  ['bit(1)', `b'1'`],
  ['bit(3)', `b'101'`],
  ['bytea', `'\\x${ID}'`],
  ['text', `'${ID}'`],
  ['text', `'Änne'`],
  ['varchar(80)', `'Änne'`],
  ['char(8)', `'Änne'`],
  ['tone', `'major'`],
  ['short', `'Änne'`],
  ['xml', `'<a/>'`],
  ['inet', `'127.0.0.1'`],
  ['uuid', `'7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11'`],
  ['json', `'{"b": 28.0, "a": [1]}'`],
  ['jsonb', `'{"b": 28.0, "a": [1]}'`],
  ['jsonb', `'["a", "b"]'`],
  ['hstore', `'a=>1'`],
  ['date', `'2018-02-10'`],
  ['date', `'infinity'`],
  ['text', `'2018-02'`],
  ['timestamptz', `'2018-02-10 22:13:00.25+01'`],
  ['timestamptz', `'infinity'`],
  ['timestamp', `'2018-02-10 21:13:00.25'`],
  ['timestamp(3)', `'2018-02-10 21:13:00.25'`],
  ['time', `'21:13:00'`],
  ['interval', `'1 day'`],
  ['integer[]', 'array[1,2]'],
  ['bigint[]', 'array[9223372036854775807]'],
  ['numeric[]', 'array[1.50]'],
  ['text[]', `array['a','b']`],
  ['uuid[]', `array['7a0e2f0e-6c2d-4b1e-9c4e-0d8e3f6b5a11'::uuid]`],
  ['bytea[]', `array['\\x${ID}'::bytea]`],
  ['date[]', `array['2018-02-10'::date]`],
  ['text[]', `array['a',null]`],
  ['int4range', `'[1,5)'`],
  ['point', `'(1,2)'`],
];

const TOPIC = 'producers.seen.typed';
const undo: (() => Promise<unknown>)[] = [];

async function main(): Promise<void> {
  const [kafka, postgres] = await Promise.all([
    startLocalKafka(),
    startCrashablePostgres({ wal_level: 'logical' }),
  ]);
  undo.push(kafka.stop, postgres.stop);
  const worker = await startConnectWorker(kafka.address);
  undo.push(worker.stop);
  await createTopics(kafka.address, [{ topic: TOPIC }]);
  const client = new Client({ connectionString: postgres.address });
  await client.connect();
  undo.push(() => client.end());
  const columns = VALUES.map(([type], index) => `c${index} ${type}`).join(', ');
  await client.query(`create schema seen; create extension hstore; create type tone as enum ('major', 'minor');
    create domain short as varchar(20); create table ${HEARTBEAT_TABLE} (id integer primary key, beat_at timestamptz);
    create table seen.typed (id integer primary key, ${columns});
    insert into seen.typed values (1, ${VALUES.map(([, sql]) => sql).join(', ')})`);
  const capture = connector(worker.address, 'types');
  await capture.configure({
    ...guideConfig(),
    ...serverConfig(postgres.address, 'types', ['seen.typed']),
    'signal.kafka.bootstrap.servers': kafka.address,
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
