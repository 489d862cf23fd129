import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Problem } from '../../../src/http/problem.ts';
import { RequestReader } from '../../../src/protocols/http1/request-reader.ts';
import type { RequestTap } from '../../../src/net/inspector.ts';
import { Http1Reader } from '../../../src/inspect/http1/http1-reader.ts';
import { inputsLike } from '../../fuzz/mutations.ts';
import { rounds } from '../../_whole.ts';

const MAX_HEADER_SIZE = 400;
const LIMITS = {
  section: 1000,
  keptSection: 1000,
  chunks: 10,
  messages: 10,
  rest: 100,
  bytes: 1e6,
};

interface Refusal {
  /** Offset of the byte, from the first one. */
  readonly offset: number | undefined;
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** Where and why a connection refuses what it gets in these pieces. */
function refusalOf(pieces: readonly Buffer[]): Refusal {
  let problem: Problem | undefined;
  const inspected = new Http1Reader(LIMITS);
  const tap: RequestTap = inspected.requestTap;
  const listener = {
    requestReceived: () => undefined,
    trailersReceived: (trailers: readonly string[]) => trailers,
    refused: (reason: Problem) => {
      problem = reason;
    },
    holdContent: () => undefined,
  };
  const reader = new RequestReader(listener, 0, MAX_HEADER_SIZE, tap);
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      at = reader.isStopped ? reader.skip(piece, at, 0) : reader.read(piece, at, 0);
    }
  }
  const { stop } = inspected.summary;
  return { offset: stop?.offset, code: problem?.code, detail: problem?.message };
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const FIELDS = 'GET / HTTP/1.1\r\n';
const CHUNKS = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What is refused, with `▸` before the byte at which wirebin stops. */
const REFUSED: readonly string[] = [
  '▸(ET / HTTP/1.1\r\n\r\n',
  'G▸(T / HTTP/1.1\r\n\r\n',
  'GET ▸\x01 HTTP/1.1\r\n\r\n',
  'GET /▸\xff HTTP/1.1\r\n\r\n',
  'GET /?a▸\x01 HTTP/1.1\r\n\r\n',
  'GET /#▸\x01 HTTP/1.1\r\n\r\n',
  'GET /▸\ta HTTP/1.1\r\n\r\n',
  'GET /▸\rx HTTP/1.1\r\n\r\n',
  'GET / HT▸X/1.1\r\n\r\n',
  'GET / ▸ICE/1.0\r\n\r\n',
  'GET / HTTP/▸x.1\r\n\r\n',
  'GET / HTTP/1▸,1\r\n\r\n',
  'GET / HTTP/1.▸x\r\n\r\n',
  'GET / HTTP/▸9.9\r\n\r\n',
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
  `${FIELDS}▸Content-Length: x\r\n\r\n`,
  `${FIELDS}▸Content-Length: \r\n\r\n`,
  `${FIELDS}▸Content-Length: 18446744073709551616\r\n\r\n`,
  `${FIELDS}Content-Length: 1\r\n▸Content-Length: 1\r\n\r\na`,
  `${FIELDS}Transfer-Encoding: chunked\r\n▸Content-Length: 1\r\n\r\n`,
  `${FIELDS}Content-Length: 1\r\n▸Transfer-Encoding: chunked\r\n\r\n`,
  `${FIELDS}▸Transfer-Encoding: chunked, x\r\n\r\n`,
  `${FIELDS}▸Transfer-Encoding: x\r\n\r\n`,
  `${CHUNKS}▸x\r\n`,
  `${CHUNKS}1 ▸\r\na\r\n`,
  `${CHUNKS}1\t▸\x01\r\na\r\n`,
  `${CHUNKS}1▸\na\r\n`,
  `${CHUNKS}1\r▸a`,
  `${CHUNKS}fffffffffffff▸ffff\r\n`,
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
  'PRI * HTTP/▸2.0\r\n\r\nSM\r\n\r\n',
];

test.each(REFUSED)('%j', (marked) => {
  const offset = marked.indexOf('▸');
  const bytes = latin1(marked.replace('▸', ''));
  expect(refusalOf([bytes])).toMatchObject({ offset });
  for (let cut = 1; cut < bytes.length; cut++) {
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    expect([cut, refusalOf(pieces).offset]).toEqual([cut, offset]);
  }
  expect(refusalOf(Array.from(bytes, (byte) => Buffer.of(byte)))).toMatchObject({ offset });
});

test('whatever is refused, the byte and the problem are the same however the bytes are cut', () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(
      inputsLike(
        REFUSED.map((text) => text.replace('▸', '')),
        ['\r\n', '\n', '\r', ' ', '\t', ':', ';', '\0', '0\r\n', '"', ',', '\x80', '9'],
      ),
      (input) => {
        const bytes = input.subarray(0, MAX_HEADER_SIZE / 2);
        const whole = refusalOf([bytes]);
        reasons.add(whole.detail ?? '');
        expect(refusalOf(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
      },
    ),
    { numRuns: rounds(3000) },
  );
  expect(reasons.size).toBeGreaterThan(10);
});
