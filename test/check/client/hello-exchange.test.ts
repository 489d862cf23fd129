import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { exchangeHello, lastRecords, recordsIn } from '../../../src/check/client/hello-exchange.ts';

/** The alert close_notify as a warning. */
const WARNING = Buffer.from([21, 3, 3, 0, 2, 1, 0]);

test('a target that sends warnings without an end has not answered', async () => {
  const server = createServer((socket) => {
    const flood = (): void => {
      while (socket.writable && socket.write(Buffer.alloc(7000, WARNING)));
    };
    socket.on('error', () => undefined).on('drain', flood);
    flood();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reply = await exchangeHello(connect(port, '127.0.0.1'), [Buffer.of(22)], 2000);
  expect(reply).toMatchObject({ version: undefined, alert: undefined });
  expect(reply.transfer.ending).toBe('malformed');
  expect(reply.warnings.length).toBeLessThan(100_000 / WARNING.length);
});

function record(content: string): Buffer {
  return Buffer.concat([Buffer.of(23, 3, 3, 0, content.length), Buffer.from(content)]);
}

test('of the records of a connection the last are kept, however they are split', () => {
  const all = Buffer.concat(['one', '', 'three', 'four', 'five'].map((content) => record(content)));
  for (const size of [1, 2, 7, 100]) {
    let bytes: Buffer = Buffer.alloc(0);
    for (let at = 0; at < all.length; at += size) {
      bytes = lastRecords(bytes, all.subarray(at, at + size), 3);
    }
    expect(recordsIn(bytes).map(({ content }) => String(content))).toEqual([
      'three',
      'four',
      'five',
    ]);
  }
});

test('what is no longer needed of a long connection is not kept', () => {
  let bytes: Buffer = Buffer.alloc(0);
  for (let piece = 0; piece < 1000; piece++) {
    bytes = lastRecords(bytes, Buffer.alloc(7000, WARNING), 3);
    expect(bytes.buffer.byteLength).toBeLessThan(100_000);
  }
});
