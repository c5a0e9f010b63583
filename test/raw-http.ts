import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By their names in lower case; of a name that is repeated, the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Everything that came until the service closed the connection. */
  readonly answers: Promise<RawAnswer[]>;
}

/** Opens a connection on which anything may be sent, be it HTTP or not. */
export function openRaw(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
  return { socket, answers: readAll(socket) };
}

/** Sends bytes as they stand, and waits until the service has closed the connection. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer[]> {
  const { socket, answers } = openRaw(port);
  socket.write(bytes);
  return answers;
}

async function readAll(socket: Socket): Promise<RawAnswer[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A service may close a connection before it has read everything, which resets it.
  socket.on('error', () => socket.destroy());
  await once(socket, 'close');
  return parsed(Buffer.concat(chunks).toString('latin1'));
}

function parsed(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`this is no HTTP answer: ${rest.slice(0, 100)}`);
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
    answers.push({ status: Number(first.split(' ')[1]), headers, body });
    rest = rest.slice(from + length);
  }
  return answers;
}
