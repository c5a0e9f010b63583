import { writeFileSync } from 'node:fs';
import { pollUntil } from '../../support/poll.ts';
import type { OtherDatabase } from '../../support/services/connect-plugins.ts';
import { startConnectWorker } from '../../support/services/connect-worker.ts';
import { createTopics } from '../../support/services/kafka.ts';
import { startLocalKafka } from '../../support/services/kafka-local.ts';
import { connector, guideConfig } from '../connector.ts';
import { readTopics, topicEnds } from '../topic-log.ts';
import { startMariaDb } from './mariadb-server.ts';

/**
 * Writes what the MariaDB connector sends, with the settings of the producers' guide, of the statements below, to
 * test/data/connectors. With the argument `mysql`, the MySQL connector reads the same server.
 */
const FOLDER = new URL('../../data/connectors/', import.meta.url);

const SCHEMA = `
create database seen;
use seen;
create table radio_play_v1 (play_id varchar(40) primary key, cluster_id binary(32) not null, station varchar(80) not null,
  country char(2), title text not null, recording_cluster_id binary(32), dj_name varchar(80), played_at datetime(3) not null);
create table artist_momentum (cluster_id char(64) primary key, emergence_tier enum('breakout','rising','climbing','steady') not null,
  momentum_tier varchar(20) not null, emergence_score decimal(12,4) not null, momentum_score double not null,
  establishment_delta float not null, events_recent bigint not null, is_fresh_breakout boolean not null,
  is_unsigned bit(1) not null, as_of date not null);
create table festival (festival_id varchar(40) primary key, name varchar(200) not null, slug varchar(200) not null,
  aliases json not null, merged_slugs json not null, country char(2), city varchar(80), website_url text,
  tiny tinyint, tiny1 tinyint(1), seven bit(7), big bigint unsigned, born year, tags set('a','b','c'), at timestamp(6) null,
  dt datetime null, dt6 datetime(6) null, clock time(3), pos point);
insert into radio_play_v1 values
  ('p1', repeat(unhex('a1'), 32), 'one', 'GB', 'Änne', null, null, '2018-02-10 21:13:00.250'),
  ('p2', repeat(unhex('a2'), 32), 'two', null, 'b', repeat(unhex('b2'), 32), 'dj', '1969-12-31 23:59:59.999'),
  ('p3', repeat(unhex('a3'), 32), 'three', null, 'c', null, null, '2020-01-01 00:00:00');
insert into artist_momentum values
  (repeat('a1', 32), 'rising', 'steady', 42.1800, 0.5, -0.25, 9223372036854775807, true, b'1', '2018-02-10'),
  (repeat('a2', 32), 'steady', 'dormant', -0.0001, 1e-7, 0, -9223372036854775808, false, b'0', '9999-12-31');
insert into festival values ('f1', 'One', 'one', '["a","b"]', '[]', null, null, null,
  -128, 1, b'0101010', 18446744073709551615, 2155, 'a,c', '2018-02-10 21:13:00.123456', '2018-02-10 21:13:00',
  '1969-07-20 20:17:40.123456', '-838:59:58.999', point(1, 2));`;

const CHANGES = [
  `insert into seen.radio_play_v1 values ('p4', repeat(unhex('a4'), 32), 'four', null, 'd', null, null, '2020-01-02 00:00:00')`,
  `update seen.radio_play_v1 set title = concat(title, '!')`,
  `begin; update seen.radio_play_v1 set dj_name = 'x' where play_id = 'p1'; update seen.radio_play_v1 set dj_name = 'y' where play_id = 'p1'; commit`,
  `begin; update seen.radio_play_v1 set dj_name = 'lost' where play_id = 'p1'; rollback`,
  `delete from seen.radio_play_v1 where play_id = 'p2'`,
  `update seen.radio_play_v1 set play_id = 'p33' where play_id = 'p3'`,
  `replace into seen.radio_play_v1 values ('p4', repeat(unhex('a4'), 32), 'four', null, 'replaced', null, null, '2020-01-02 00:00:00')`,
  `update seen.radio_play_v1 set recording_cluster_id = unhex(concat(repeat('b1', 30), '0000')) where play_id = 'p4'`,
  'flush binary logs',
  `update seen.radio_play_v1 set dj_name = 'z' where play_id = 'p1'`,
  `update seen.festival set aliases = '["ä"]', at = '2038-01-19 03:14:07.999999'`,
  'truncate seen.artist_momentum',
  `insert into seen.artist_momentum values
  (repeat('a3', 32), 'rising', 'steady', 99999999.9999, 1.7976931348623157e308, 3.4e38, 0, true, b'0', '0001-01-01')`,
];

const TABLES = ['radio_play_v1', 'artist_momentum', 'festival'];
const topicsOf = TABLES.map((table) => `producers.seen.${table}`);

/** Debezium's own headers, which name a row's other key, are read separately: `readTopics` gives their names alone. */
async function main(database: Exclude<OtherDatabase, 'mongodb'>): Promise<void> {
  const [kafka, server] = await Promise.all([startLocalKafka(), startMariaDb()]);
  const worker = await startConnectWorker(kafka.address, { connectors: [database] });
  try {
    await createTopics(
      kafka.address,
      topicsOf.map((topic) => ({ topic })),
    );
    await server.sql(SCHEMA);
    await server.sql(`create user debezium@'%' identified by 'secret'; grant all on *.* to debezium@'%'`);
    const capture = connector(worker.address, database);
    await capture.configure({
      ...guideConfig(database),
      'database.hostname': '127.0.0.1',
      'database.port': String(server.port),
      'database.password': 'secret',
      'signal.kafka.bootstrap.servers': kafka.address,
      'schema.history.internal.kafka.bootstrap.servers': kafka.address,
      'table.include.list': TABLES.map((table) => `seen.${table}`).join(),
      // A MariaDB has no gtid_mode, which the MySQL connector wants for this.
      ...(database === 'mysql' ? { 'read.only': 'false' } : {}),
    });
    await capture.untilRunning();
    const untilRecords = (count: number) =>
      pollUntil(
        async () => {
          const ends = await topicEnds(kafka.address, topicsOf);
          return [...ends.values()].reduce((sum, end) => sum + end, 0) >= count;
        },
        { what: `${count} records`, timeoutMs: 90_000 },
      );
    await untilRecords(6);
    for (const sql of CHANGES) await server.sql(sql);
    // 1 insert, 4 updates, 2 in one transaction, a delete, a key change, a replacement, 3 updates, a truncate, an insert.
    await untilRecords(6 + 1 + 4 + 2 + 2 + 3 + 1 + 1 + 1 + 1 + 1 + 1);
    const lines = (await readTopics(kafka.address, topicsOf)).map(({ topic, offset, key, value }) =>
      JSON.stringify({ topic, offset, key, value }),
    );
    writeFileSync(new URL(`${database}.ndjson`, FOLDER), `${lines.join('\n')}\n`);
  } catch (error) {
    throw new Error(await worker.log(), { cause: error });
  } finally {
    await worker.stop();
    await Promise.all([kafka.stop(), server.stop()]);
  }
}

await main(process.argv[2] === 'mysql' ? 'mysql' : 'mariadb');
