import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response as bytes on the wire, parsed. */
export interface RawResponse {
  readonly status: number;
  /** By name in lower case; of a repeated name, the last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Every response until the service closed the connection. */
  readonly responses: Promise<RawResponse[]>;
}

/** Opens a connection for any bytes, HTTP or not. */
export function openRaw(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
  return { socket, responses: readAll(socket) };
}

/** Sends bytes unchanged, and waits until the service has closed the connection. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse[]> {
  const { socket, responses } = openRaw(port);
  socket.write(bytes);
  return responses;
}

async function readAll(socket: Socket): Promise<RawResponse[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A service may close a connection before it has read everything, which resets it.
  socket.on('error', () => socket.destroy());
  await once(socket, 'close');
  return parsed(Buffer.concat(chunks).toString('latin1'));
}

function parsed(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`not an HTTP response: ${rest.slice(0, 100)}`);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const from = end + 4;
    const length = Number(headers['content-length'] ?? 0);
    const body = Buffer.from(rest.slice(from, from + length), 'latin1').toString();
    responses.push({ status: Number(first.split(' ')[1]), headers, body });
    rest = rest.slice(from + length);
  }
  return responses;
}
