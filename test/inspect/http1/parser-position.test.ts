import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParserPosition } from '../../../src/inspect/http1/parser-position.ts';
import type { ParserError } from '../../../src/net/inspector.ts';
import { inputsLike } from '../../fuzz/mutations.ts';
import { latin1 } from './_messages.ts';
import { readByNode } from './_node.ts';
import { rounds } from '../../_whole.ts';

const MAX_HEADER_SIZE = 400;

interface Stopped {
  readonly offset: number;
  readonly code: string | undefined;
  readonly reason: string | undefined;
}

/** Where Node's own server stops by our reading of its error. */
function stoppedIn(pieces: readonly Buffer[]): Stopped | undefined {
  const position = new ParserPosition();
  let stopped: Stopped | undefined;
  const server = createServer({ requireHostHeader: false, maxHeaderSize: MAX_HEADER_SIZE });
  server.on('request', (message, response) => {
    message.on('error', () => undefined).resume();
    response.end();
  });
  server.on('clientError', (error: NodeJS.ErrnoException & ParserError) => {
    stopped ??= { offset: position.stoppedAt(error), code: error.code, reason: error.reason };
    socket.destroy();
  });
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  server.emit('connection', socket);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.emit('data', piece);
    position.parsed(piece);
  }
  socket.destroy();
  return stopped;
}

const FIELDS = 'GET / HTTP/1.1\r\n';
const CHUNKS = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What is refused, with `▸` before the byte at which Node stops. */
const REFUSED: readonly string[] = [
  '▸(ET / HTTP/1.1\r\n\r\n',
  'G▸(T / HTTP/1.1\r\n\r\n',
  'POST▸x / HTTP/1.1\r\n\r\n',
  'GET ▸\x01 HTTP/1.1\r\n\r\n',
  'GET /▸\xff HTTP/1.1\r\n\r\n',
  'GET /?a▸\x01 HTTP/1.1\r\n\r\n',
  'GET /#▸\x01 HTTP/1.1\r\n\r\n',
  'GET /▸\ta HTTP/1.1\r\n\r\n',
  'GET /\r▸x HTTP/1.1\r\n\r\n',
  'GET http:/▸x/ HTTP/1.1\r\n\r\n',
  'GET http://a▸^b/ HTTP/1.1\r\n\r\n',
  'GET / HT▸X/1.1\r\n\r\n',
  'GET / IC▸E/1.0\r\n\r\n',
  'DESCRIBE / HTT▸P/1.1\r\n\r\n',
  'GET / HTTP/▸x.1\r\n\r\n',
  'GET / HTTP/1▸,1\r\n\r\n',
  'GET / HTTP/1.▸x\r\n\r\n',
  'GET / HTTP/9.▸9\r\n\r\n',
  'GET / HTTP/1.1▸x\r\n\r\n',
  'GET / HTTP/1.1▸\n\r\n',
  'GET / HTTP/1.1\r▸x\n\r\n',
  `${FIELDS}▸ a: b\r\n\r\n`,
  `${FIELDS}▸\na: b\r\n\r\n`,
  `${FIELDS}a▸ b: c\r\n\r\n`,
  `${FIELDS}a▸\r\n\r\n`,
  `${FIELDS}a: ▸\x07\r\n\r\n`,
  `${FIELDS}a: b▸\0\r\n\r\n`,
  `${FIELDS}a: b▸\nc: d\r\n\r\n`,
  `${FIELDS}a:▸\nc: d\r\n\r\n`,
  `${FIELDS}a:\r\n▸ b\r\n\r\n`,
  `${FIELDS}a:\r\n▸ \x01\r\n\r\n`,
  `${FIELDS}a: b\r\n▸ c\r\n\r\n`,
  `${FIELDS}a: b\r▸c\r\n\r\n`,
  `${FIELDS}a: b\r\n\r▸c`,
  `${FIELDS}Content-Length: ▸x\r\n\r\n`,
  `${FIELDS}Content-Length: \r\n▸\r\n`,
  `${FIELDS}Content-Length: 1844674407370955161▸6\r\n\r\n`,
  `${FIELDS}Content-Length: 1\r\nContent-Length: ▸1\r\n\r\na`,
  `${FIELDS}Transfer-Encoding: chunked\r\nContent-Length▸: 1\r\n\r\n`,
  `${FIELDS}Content-Length: 1\r\nTransfer-Encoding▸: chunked\r\n\r\n`,
  `${FIELDS}Transfer-Encoding: chunked▸, x\r\n\r\n`,
  `${FIELDS}Transfer-Encoding: x\r\n\r▸\n`,
  `${CHUNKS}▸x\r\n`,
  `${CHUNKS}1▸ \r\na\r\n`,
  `${CHUNKS}1▸\t\x01\r\na\r\n`,
  `${CHUNKS}1▸\na\r\n`,
  `${CHUNKS}1\r▸a`,
  `${CHUNKS}ffffffffffffffff▸f\r\n`,
  `${CHUNKS}1;▸\r\n`,
  `${CHUNKS}1;a▸\x01\r\n`,
  `${CHUNKS}1;a▸\n\r\n`,
  `${CHUNKS}1;a=b▸\x01\r\n`,
  `${CHUNKS}1;a=b▸\n\r\n`,
  `${CHUNKS}1;a="▸\x01"\r\n`,
  `${CHUNKS}1;a="\\▸\x01"\r\n`,
  `${CHUNKS}1;a="b"▸c\r\n`,
  `${CHUNKS}1\r\na▸\n`,
  `${CHUNKS}1\r\na▸b\r\n`,
  `${CHUNKS}1\r\na\r▸b`,
  `${CHUNKS}0\r\na▸ : b\r\n\r\n`,
  `${FIELDS}Connection: close\r\n\r\n▸GET`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r▸\n',
  'PRI * HTTP/2.0\r\n\r\nS▸X\r\n\r\n',
];

test.each(REFUSED)('%j', (marked) => {
  const offset = marked.indexOf('▸');
  const bytes = latin1(marked.replace('▸', ''));
  expect(readByNode(bytes).stop?.offset).toBe(offset);
  for (let cut = 0; cut < bytes.length; cut++) {
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    expect(stoppedIn(pieces.filter(({ length }) => length > 0))).toMatchObject({ offset });
  }
  expect(stoppedIn(Array.from(bytes, (byte) => Buffer.of(byte)))).toMatchObject({ offset });
});

test.each([
  ['HPE_HEADER_OVERFLOW', `GET /${'a'.repeat(500)} HTTP/1.1\r\n\r\n`, 'GET /'.length + 499],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', `${CHUNKS}1;${'a'.repeat(20_000)}▸\r\n`, undefined],
])('%s: the last byte that was read', (code, text, last) => {
  const bytes = latin1(text.replace('▸', ''));
  const offset = last ?? text.indexOf('▸');
  expect(stoppedIn([bytes])).toMatchObject({ offset, code });
});

test('whatever Node refuses, the byte is the same however the bytes are cut', () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(
      inputsLike(
        REFUSED.map((text) => text.replace('▸', '')),
        ['\r\n', '\n', '\r', ' ', '\t', ':', ';', '\0', '0\r\n', '"', ',', '\x80', '9'],
      ),
      (input) => {
        const bytes = input.subarray(0, MAX_HEADER_SIZE / 2);
        const { stop } = readByNode(bytes);
        const whole = stoppedIn([bytes]);
        if (!stop || stop.code !== whole?.code) return;
        reasons.add(whole.reason ?? '');
        expect(whole).toMatchObject(stop);
      },
    ),
    { numRuns: rounds(3000) },
  );
  expect(reasons.size).toBeGreaterThan(20);
});
