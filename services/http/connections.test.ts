import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Connections, openConnections } from './connections.ts';

const opened: Connections[] = [];
afterEach(() => {
  for (const connections of opened.splice(0)) connections.stop();
});

const NEVER_MS = 3_600_000;

/** Connections by name, from the address after the `@`. */
function connectionsWith(limits: Parameters<typeof openConnections>[0]) {
  const connections = openConnections({
    keepAliveMs: NEVER_MS,
    keylessKeepAliveMs: NEVER_MS,
    stallMs: NEVER_MS,
    ...limits,
  });
  opened.push(connections);
  const closed: string[] = [];
  const connect = (name: string) => {
    const [, remoteAddress = '192.0.2.1'] = name.split('@');
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroy: () => {
        closed.push(name);
        socket.emit('close');
      },
    }) as unknown as Socket;
    connections.add(socket);
    return connections.of({ socket, ip: remoteAddress });
  };
  return { connections, connect, closed };
}

it('closes the longest idle connection to make room for a new one', () => {
  const { connections, connect, closed } = connectionsWith({ most: 3 });
  const [a] = ['a', 'b', 'c'].map(connect);
  if (a === undefined) throw new Error('there is no connection');
  connections.begin(a);
  connections.end(a);
  connect('d');
  connect('e');
  expect(closed).toEqual(['b', 'c']);
  connect('f');
  expect([closed, connections.count(), connections.closed('room')]).toEqual([['b', 'c', 'a'], 3, 3]);
});

it('closes no connection with a request in flight', () => {
  const { connections, connect, closed } = connectionsWith({ most: 2 });
  const busy = ['a', 'b'].map(connect);
  for (const connection of busy) connections.begin(connection);
  connect('c');
  expect(closed).toEqual(['c']);
  for (const connection of busy) connections.end(connection);
  connect('d');
  expect(closed).toEqual(['c', 'a']);
});

it('closes connections without a key first, of the network with most of them', () => {
  const { connect, closed } = connectionsWith({ most: 4 });
  Object.assign(connect('keyed@192.0.2.9'), { isKeyed: true });
  Object.assign(connect('proxy@192.0.2.9'), { isProxied: true });
  connect('alone@192.0.2.2');
  for (const name of ['a', 'b', 'c']) connect(name);
  expect(closed).toEqual(['a', 'b']);
});

it('counts an IPv6 /64 as one network', () => {
  const { connect, closed } = connectionsWith({ most: 3 });
  for (const name of ['alone@2001:db8::1', 'a@2001:db8:1::1', 'b@2001:db8:1::2', 'c@2001:db8:1::3'])
    connect(name);
  expect(closed).toEqual(['a@2001:db8:1::1']);
});

it('closes idle connections, those of unknown clients sooner', async () => {
  const { connections, connect, closed } = connectionsWith({ keylessKeepAliveMs: 20 });
  Object.assign(connect('keyed'), { isKeyed: true });
  connections.begin(connect('busy'));
  const { socket } = connect('proxy');
  connections.of({ socket, ip: '192.0.2.7' });
  connect('unknown');
  await expect.poll(() => closed).toEqual(['unknown']);
  expect([connections.count(), connections.closed('idle')]).toEqual([3, 1]);
});

it('tells of each connection that ended', () => {
  const { connections, connect } = connectionsWith({ most: 1 });
  const ended: unknown[] = [];
  connections.onClosed((connection) => ended.push(connection));
  const first = connect('a');
  connect('b');
  expect(ended).toEqual([first]);
});
