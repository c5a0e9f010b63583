import { type Fault, MANY, SOME } from './fault.ts';
import type { FaultStage } from './stage.ts';

export const brokerKilled: Fault = {
  name: 'Kafka killed and started again',
  async strike(stage) {
    await stage.load.send(MANY);
    await stage.kafka.kill();
    await stage.kafka.start();
    await stage.load.send(SOME);
  },
};

export const databaseCrashed: Fault = {
  name: 'PostgreSQL crashed and started again',
  async strike(stage) {
    await stage.load.send(MANY);
    await stage.postgres.crash();
    await stage.load.send(SOME);
    await stage.postgres.start();
  },
};

export const sessionsEnded: Fault = {
  name: 'all sessions of PostgreSQL ended',
  async strike(stage) {
    await stage.load.send(MANY);
    await endSessions(stage);
  },
};

async function endSessions({ pool }: FaultStage): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name like 'linernotes %' and pid <> pg_backend_pid()`,
  );
}

export const readOnly: Fault = {
  name: 'PostgreSQL read-only for a while',
  async strike(stage) {
    const ingest = await stage.keep('ingest');
    ingest.clearOutput();
    await stage.pool.query('alter database linernotes set default_transaction_read_only = on');
    try {
      await endSessions(stage);
      await stage.load.send(SOME);
      await ingest.untilWritten('cannot be written');
    } finally {
      const client = await stage.pool.connect();
      await client.query('set default_transaction_read_only = off');
      await client.query('alter database linernotes reset default_transaction_read_only');
      client.release(true);
    }
  },
};
