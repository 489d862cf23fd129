import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConnectionInspection, RESERVED } from '../../src/inspect/connection-inspection.ts';
import type { Inspection } from '../../src/inspect/inspection.ts';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  get,
  HEADERS,
  PREFACE,
  SETTINGS,
  uint32,
  WINDOW_UPDATE,
} from '../_frames.ts';
import { collectGarbage } from '../_garbage.ts';
import { GET } from '../_raw.ts';
import type { TcpConnection } from '../../src/net/tcp-connection.ts';
import { openConnection, receive, startInspection } from './_inspection.ts';

test('a connection is found while it is open, and after it is closed', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  const { id } = connection;
  expect(connection.inspector).toBeDefined();
  expect(inspection.find(id)).toMatchObject({ closed: undefined, facts: { id } });
  inspection.closed(connection);
  expect(inspection.find(id)).toMatchObject({ closed: { cause: { by: 'client' } } });
  expect(inspection.find('nobody')).toBeUndefined();
});

test('a closed connection is released while its inspection is kept', async () => {
  const inspection = startInspection();
  const open = (): { id: string; released: WeakRef<TcpConnection> } => {
    const connection = openConnection(inspection);
    receive(inspection, connection, 'http/1.1', GET('/'));
    inspection.closed(connection);
    return { id: connection.id, released: new WeakRef(connection) };
  };
  const { id, released } = open();
  // Until the end of the iteration, a WeakRef keeps what it refers to.
  await nextIteration();
  collectGarbage();
  expect(inspection.find(id)).toBeDefined();
  expect(released.deref()).toBeUndefined();
});

test('above the limit, closed connections are forgotten, the oldest first, and open ones never', () => {
  const memory = RESERVED + 200_000;
  let notInspected = 0;
  const inspection = startInspection(memory, () => notInspected++);
  const closed = Array.from({ length: 40 }, () => {
    const connection = openConnection(inspection);
    inspection.closed(connection);
    return connection;
  });
  /** Those that are kept are the newest ones. */
  const countKept = (): number => {
    const kept = closed.map(({ id }) => inspection.find(id) !== undefined);
    const count = kept.filter(Boolean).length;
    expect(kept.slice(-count)).not.toContain(false);
    return count;
  };
  const open = openConnection(inspection);
  expect(inspection.memoryUsed).toBeLessThanOrEqual(memory);
  const before = countKept();
  expect(before).toBeGreaterThan(20);
  expect(before).toBeLessThan(40);
  receive(inspection, open, 'http/1.1', GET('/'));
  expect(countKept()).toBe(before);
  receive(inspection, open, 'http/1.1', GET('/', `X: ${'x'.repeat(3000)}\r\n`).repeat(30));
  // What it takes beyond its reserve.
  expect(countKept()).toBeLessThan(before);
  expect(countKept()).toBeGreaterThan(0);
  expect(inspection.find(open.id)).toBeDefined();
  expect(inspection.memoryUsed).toBeLessThanOrEqual(memory);
  expect(notInspected).toBe(0);
});

test('a connection is inspected if forgetting closed ones makes room for it, and not otherwise', () => {
  const counts: number[] = [];
  const inspection = startInspection(2 * RESERVED, (count) => counts.push(count));
  for (let count = 0; count < 20; count++) inspection.closed(openConnection(inspection));
  const [one, two] = [openConnection(inspection), openConnection(inspection)];
  expect([one, two].map(({ inspector }) => inspector !== undefined)).toEqual([true, true]);
  expect(inspection.memoryUsed).toBe(2 * RESERVED);
  const [three, four] = [openConnection(inspection), openConnection(inspection)];
  expect([three, four].map(({ inspector }) => inspector)).toEqual([undefined, undefined]);
  expect(counts).toEqual([1, 2]);
  inspection.closed(three);
  inspection.closed(one);
  expect(openConnection(inspection).inspector).toBeDefined();
});

const smallFields = frame(
  HEADERS,
  END_HEADERS | END_STREAM,
  1,
  Buffer.concat([get(1, '/').subarray(9), Buffer.alloc(60, 0x90)]),
);
const http2Bytes = (streams: number): Buffer =>
  Buffer.concat([
    PREFACE,
    frame(SETTINGS, 0, 0),
    ...Array.from({ length: streams }, (_, at) => {
      const bytes = Buffer.from(smallFields);
      bytes.writeUInt32BE(2 * at + 1, 5);
      return bytes;
    }),
  ]);

test.each([
  { name: 'short heads', protocol: 'http/1.1', bytes: GET('/').repeat(200) },
  {
    name: 'long heads',
    protocol: 'http/1.1',
    bytes: GET('/', `X: ${'x'.repeat(20_000)}\r\n`).repeat(10),
  },
  { name: 'streams', protocol: 'h2c', bytes: http2Bytes(20) },
] as const)(
  'open and closed connections together keep at most what all may: $name',
  ({ protocol, bytes }) => {
    const memory = 10 * RESERVED;
    const inspection = startInspection(memory);
    const open: TcpConnection[] = [];
    let most = 0;
    for (let round = 0; round < 30; round++) {
      const connection = openConnection(inspection);
      open.push(connection);
      receive(inspection, connection, protocol, bytes);
      for (const { socket } of open) socket.push(bytes);
      most = Math.max(most, inspection.memoryUsed);
      const [oldest] = round % 3 === 0 ? open.splice(0, 1) : [];
      if (oldest) inspection.closed(oldest);
      most = Math.max(most, inspection.memoryUsed);
    }
    expect(most).toBeGreaterThan(memory * 0.9);
    expect(most).toBeLessThanOrEqual(memory);
    for (const connection of open) inspection.closed(connection);
    expect(open.some(({ id }) => inspection.find(id) !== undefined)).toBe(true);
  },
);

test('an error of an observer ends the inspection of its connection, and nothing else', () => {
  const errors: unknown[] = [];
  const inspection = startInspection(undefined, undefined, (error) => errors.push(error));
  const one = openConnection(inspection);
  const other = openConnection(inspection);
  const error = new TypeError('the view');
  inspection.onWire = (connection) => {
    if (connection === one) throw error;
  };
  const bytes = http2Bytes(2);
  for (const connection of [one, other]) {
    connection.detected('h2c');
    inspection.detected(connection);
    connection.socket.push(PREFACE);
    connection.socket.push(bytes.subarray(PREFACE.length));
    expect(connection.socket.readableLength).toBe(bytes.length);
  }
  expect(errors).toEqual([error]);
  expect(one.inspector).toBeUndefined();
  expect(one.notInspected).toMatch(/^an error in wirebin/);
  expect(inspection.find(one.id)).toBeUndefined();
  expect(other.inspector?.requestView(1, 1)).toMatchObject({ stream: 1 });
  inspection.closed(one);
  expect(inspection.memoryUsed).toBe(RESERVED);
});

test('so does an error when a TLS secret arrives', () => {
  const errors: unknown[] = [];
  const inspection = startInspection(undefined, undefined, (error) => errors.push(error));
  const connection = openConnection(inspection);
  const error = new TypeError('the view');
  inspection.onWire = () => {
    throw error;
  };
  // A TLS record, which is read once it is known that the connection speaks TLS.
  connection.socket.push(Buffer.from('160301000401000000', 'hex'));
  inspection.secret(Buffer.from('CLIENT_RANDOM 00 00\n'), connection);
  expect(errors).toEqual([error]);
  expect(connection.inspector).toBeUndefined();
});

test.each<[string, (inspection: Inspection, connection: TcpConnection) => void]>([
  ['detected', (inspection, connection) => inspection.detected(connection)],
  ['secured', (inspection, connection) => inspection.secured(connection)],
  ['handshakeFailed', (inspection, connection) => inspection.handshakeFailed(connection)],
  ['closing', (inspection, connection) => inspection.closing(connection, 'reset')],
  ['closed', (inspection, connection) => inspection.closed(connection)],
  ['began', (inspection, connection) => inspection.began({ connection, stream: { id: 1 } })],
  ['requestTap', (_, { inspector }) => inspector?.requestTap],
  ['rejectedMessage', (_, { inspector }) => inspector?.rejectedMessage(1)],
  ['rejectedFrame', (_, { inspector }) => inspector?.rejectedFrame()],
  ['refusalReason', (_, { inspector }) => inspector?.refusalReason(1)],
  ['requestView', (_, { inspector }) => inspector?.requestView(1)],
  ['an error of the socket', (_, { socket }) => socket.emit('error', new Error('of the socket'))],
])('so does an error in a reader at %s', (_, event) => {
  const errors: unknown[] = [];
  const inspection = startInspection(undefined, undefined, (error) => errors.push(error));
  const connection = openConnection(inspection);
  const error = new TypeError('of a reader');
  const found = inspection.find(connection.id);
  // Whatever is called of it fails.
  for (const name of Object.getOwnPropertyNames(ConnectionInspection.prototype)) {
    if (name === 'constructor' || name === 'abandon') continue;
    Object.defineProperty(found, name, { get: () => fail(error) });
  }
  event(inspection, connection);
  expect(errors).toEqual([error]);
  expect(connection.inspector).toBeUndefined();
  expect(connection.notInspected).toMatch(/^an error in wirebin/);
});

function fail(error: Error): never {
  throw error;
}

test('what is read before the protocol is detected is not lost', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  connection.socket.push(Buffer.from('GET / HT'));
  expect(inspection.find(connection.id)?.undetected).toMatchObject({ length: 8 });
  receive(inspection, connection, 'http/1.1', 'TP/1.1\r\n\r\n');
  expect(inspection.find(connection.id)?.http1?.requests).toMatchObject([
    { head: { text: 'GET / HTTP/1.1\r\n\r\n' } },
  ]);
});

test('a request is delivered to its own connection', () => {
  const inspection = startInspection();
  const [one, other] = [openConnection(inspection), openConnection(inspection)];
  receive(inspection, one, 'http/1.1', GET('/one'));
  receive(inspection, other, 'http/1.1', GET('/other'));
  expect(one.inspector?.requestView(1)).toMatchObject({ line: { target: '/one' } });
  expect(other.inspector?.requestView(1)).toMatchObject({ line: { target: '/other' } });
  expect(one.inspector?.requestView(2)).toBeUndefined();
});

test('a reset by wirebin is the end of its side', () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  inspection.closing(connection, 'graceful');
  expect(inspection.find(connection.id)?.tcp.ends).toEqual([]);
  inspection.closing(connection, 'reset');
  inspection.closed(connection);
  expect(inspection.find(connection.id)?.tcp.ends).toMatchObject([{ by: 'wirebin', how: 'rst' }]);
});

test("the server's frames are no part of the client's fingerprint", () => {
  const inspection = startInspection();
  const connection = openConnection(inspection);
  connection.detected('h2c');
  inspection.detected(connection);
  connection.socket.push(PREFACE);
  const settings = frame(SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]));
  const update = frame(WINDOW_UPDATE, 0, 0, uint32(1000));
  inspection.find(connection.id)?.transport.sent(Buffer.concat([settings, update]));
  connection.socket.push(Buffer.concat([frame(SETTINGS, 0, 0), get(1, '/')]));
  expect(connection.inspector?.requestView(1, 1)).toMatchObject({
    fingerprints: { akamai_fingerprint: '|00|0|m,s,a,p' },
  });
});
