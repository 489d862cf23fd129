import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { expect } from 'vitest';
import { Http1Reader, type Stop } from '../../../src/inspect/http1/http1-reader.ts';
import { latin1, LIMITS } from './_messages.ts';

/** A request that Node accepted: the offsets after its head, and after its content if it came. */
interface Accepted {
  readonly headEnd: number;
  readonly end: number | undefined;
}

interface NodeReading {
  readonly requests: readonly Accepted[];
  /** The byte that Node got last. */
  readonly stop: Stop | undefined;
}

/** What Node's own server takes the bytes for. It gets them one by one, so each offset is exact. */
export function readByNode(bytes: Buffer): NodeReading {
  const requests: Array<{ headEnd: number; end: number | undefined; message: IncomingMessage }> =
    [];
  let stop: NodeReading['stop'];
  let at = 0;
  const server = createServer({ requireHostHeader: false });
  const accept = (message: IncomingMessage): void => {
    requests.push({ headEnd: at + 1, end: message.complete ? at + 1 : undefined, message });
  };
  server.on('request', (message, response) => {
    accept(message);
    message.resume();
    response.end();
  });
  server.on('checkExpectation', (message, response) => {
    accept(message);
    message.resume();
    response.end();
  });
  server.on('connect', (message) => {
    accept(message);
    socket.destroy();
  });
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException) => {
    stop ??= { offset: at, code };
    socket.destroy();
  });
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  server.emit('connection', socket);
  for (; at < bytes.length && !socket.destroyed; at++) {
    // At once, whether or not the server has paused it.
    socket.emit('data', bytes.subarray(at, at + 1));
    const last = requests.at(-1);
    if (last?.message.complete) last.end ??= at + 1;
  }
  socket.destroy();
  return { requests: requests.map(({ headEnd, end }) => ({ headEnd, end })), stop };
}

/** Expects the reader to find each request that Node accepted where Node found it. */
export function expectAsNode(text: string): void {
  const bytes = latin1(text);
  const node = readByNode(bytes);
  const reader = new Http1Reader(LIMITS);
  reader.received(bytes, 0);
  if (node.stop) reader.stopped(node.stop);
  const { rest } = reader.summary.requests;
  // Node serves on after an Upgrade that it ignores; what follows may as well be the new protocol.
  const isAside = rest !== undefined && rest.kind !== 'confused';
  const accepted = isAside ? node.requests.slice(0, reader.requests.length) : node.requests;
  const found = reader.requests.slice(0, accepted.length).map(({ offset, head, length }, at) => ({
    headEnd: offset + head.length,
    // Node gave up in the content; the reader may have understood it.
    end: accepted[at]?.end === undefined || length === undefined ? undefined : offset + length,
  }));
  expect(found).toEqual(accepted);
  if (!node.stop || isAside) return;
  const stopped = reader.requests.find(
    ({ number }) => reader.request(number)?.stoppedAt !== undefined,
  );
  // In what Node accepted last, or in the next. It takes the whole preface of HTTP/2 for one message.
  const isPreface = text.startsWith('PRI ');
  if (stopped && !isPreface) expect([0, 1]).toContain(stopped.number - accepted.length);
}
