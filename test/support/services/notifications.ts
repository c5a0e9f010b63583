import { escapeIdentifier, type Pool } from 'pg';

/** Listens on a channel. Call `stop` at the end. @param onNotification called for each notification */
export async function listenOn(
  pool: Pool,
  channel: string,
  onNotification: () => void,
): Promise<{ stop(): void }> {
  const client = await pool.connect();
  client.on('notification', onNotification);
  await client.query(`listen ${escapeIdentifier(channel)}`);
  return { stop: () => client.release(true) };
}
