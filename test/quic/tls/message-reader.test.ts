import { expect, test } from 'vitest';
import { MessageReader } from '../../../src/quic/tls/message-reader.ts';
import { handshakeMessage } from '../../../src/quic/tls/messages.ts';

const FINISHED = 20;
const CERTIFICATE = 11;
const KIB = 1024;

function readAll(pieces: readonly Buffer[]): string[] {
  const read: string[] = [];
  const reader = new MessageReader(
    (type) => type === FINISHED || type === CERTIFICATE,
    ({ type, body, bytes }) => read.push(`${type} ${body.length} ${bytes.length}`),
  );
  for (const piece of pieces) reader.push('initial', piece);
  return read;
}

const MESSAGES = Buffer.concat([
  handshakeMessage(FINISHED, Buffer.alloc(32)),
  handshakeMessage(FINISHED),
  handshakeMessage(CERTIFICATE, Buffer.alloc(1000)),
]);

test('messages are the same in pieces of any size', () => {
  const expected = ['20 32 36', '20 0 4', '11 1000 1004'];
  for (let size = 1; size <= MESSAGES.length; size++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < MESSAGES.length; at += size)
      pieces.push(MESSAGES.subarray(at, at + size));
    expect(readAll(pieces)).toEqual(expected);
  }
});

test('a message that is not expected is refused at its header', () => {
  expect(() => readAll([Buffer.of(1, 0, 0, 9)])).toThrow('client_hello is not expected');
  expect(() => readAll([Buffer.of(1, 0, 0), Buffer.of(9)])).toThrow('client_hello');
});

test.each([
  [FINISHED, 64 * KIB],
  [CERTIFICATE, 128 * KIB],
])('a message of type %i has at most %i bytes', (type, max) => {
  const header = Buffer.of(type, 0, 0, 0);
  header.writeUIntBE(max, 1, 3);
  expect(readAll([header, Buffer.alloc(max)])).toHaveLength(1);
  header.writeUIntBE(max + 1, 1, 3);
  expect(() => readAll([header])).toThrow('too large');
});

test('a level is read once it is that of the reader', () => {
  const reader = new MessageReader(
    () => true,
    () => (reader.level = 'handshake'),
  );
  expect(() => reader.push('handshake', MESSAGES)).toThrow('handshake level');
  reader.push('initial', handshakeMessage(FINISHED));
  expect(() => reader.push('initial', Buffer.of(0))).toThrow('initial level');
});
