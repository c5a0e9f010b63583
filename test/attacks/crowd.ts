import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** One hostile connection: what it does once it is open. It ends with its socket. */
type Attack = (socket: Socket) => void;

const EVERY_MS = 1_000;
const PIPELINED = 32;
const LARGE = 'GET /api/v2/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const SMALL = 'GET /api/v2 HTTP/1.1\r\nHost: x\r\n\r\n';
const BODY =
  'POST /api/v2/search-events/observed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n';

const everySecond = (socket: Socket, act: () => void): void => {
  const timer = setInterval(act, EVERY_MS);
  socket.once('close', () => clearInterval(timer));
};

function drip(socket: Socket, begin: string, more: string): void {
  socket.resume().write(begin);
  everySecond(socket, () => socket.write(more));
}

/** Every way to hold a connection without use. */
const attacks: Readonly<Record<string, Attack>> = {
  silent: (socket) => socket.resume(),
  'idle after a request': (socket) => socket.resume().write(SMALL),
  'slow head': (socket) => drip(socket, 'GET /api/v2 HTTP/1.1\r\nHost: x\r\n', 'x-a: b\r\n'),
  'slow body': (socket) => drip(socket, BODY, ' '),
  'slow body of a second request': (socket) => drip(socket, SMALL + BODY, ' '),
  'never reads': (socket) => socket.pause().write(LARGE.repeat(PIPELINED)),
  'reads slowly': (socket) => {
    socket.on('data', () => socket.pause()).write(LARGE.repeat(PIPELINED));
    everySecond(socket, () => socket.resume());
  },
  pipelined: (socket) => {
    socket.resume().write(SMALL.repeat(4 * PIPELINED));
  },
};

const kinds = Object.values(attacks);

/** Loopback addresses that the connections come from, where the system has them. */
const ADDRESSES = 40;
const OPENED_TOGETHER = 100;

function join(port: number, index: number): Promise<void> {
  const localAddress = process.platform === 'linux' ? `127.0.0.${2 + (index % ADDRESSES)}` : '127.0.0.1';
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('connect', () => {
    kinds[Math.floor(index / ADDRESSES) % kinds.length]?.(socket);
    resolve();
  });
  // The service resets connections that it has not read to their end.
  socket.on('error', () => socket.destroy());
  socket.once('close', () => resolve());
  return promise;
}

/** Opens so many hostile connections, of all kinds in turn, in a thread of their own. */
export async function openCrowd(port: number, size: number): Promise<Worker> {
  const crowd = new Worker(new URL(import.meta.url), { workerData: { port, size } });
  await once(crowd, 'message');
  return crowd;
}

if (parentPort !== null && workerData?.port !== undefined) {
  const { port, size } = workerData as { readonly port: number; readonly size: number };
  for (let index = 0; index < size; index += OPENED_TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(OPENED_TOGETHER, size - index) }, (_, at) => join(port, index + at)),
    );
  parentPort.postMessage('open');
}
