import { connect, Socket } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { proxyProtocolSchema } from '../../../src/echo/echo-schema.ts';
import { proxyProtocolView } from '../../../src/echo/proxy-protocol.ts';
import { Connection } from '../../../src/net/connection.ts';
import { crc32c } from '../../../src/wire/proxy-protocol/crc32c.ts';
import { Listener } from '../../../src/net/listener.ts';
import {
  InvalidProxyHeader,
  type ProxyParseResult,
} from '../../../src/wire/proxy-protocol/header.ts';
import { parseProxyHeader } from '../../../src/wire/proxy-protocol/read.ts';
import { until } from '../../_adapters.ts';
import { mutations } from '../../fuzz/mutations.ts';
import { INET6, tlv, v2, V1 } from '../../_proxy.ts';
import { violations } from '../../_schema.ts';
import { collectGarbage } from '../../_garbage.ts';

const RUNS = 4000;

const FIXED = 16;

/** Corrects the length of a version 2 header, and optionally appends a correct checksum. */
function reframed(header: Buffer, checksum: boolean): Buffer {
  const made = checksum ? Buffer.concat([header, tlv(3, '\0\0\0\0')]) : Buffer.from(header);
  if (made.length < FIXED) return made;
  made.writeUInt16BE(Math.min(made.length - FIXED, 0xffff), 14);
  if (checksum) made.writeUInt32BE(crc32c(made), made.length - 4);
  return made;
}

const SSL = Buffer.concat([
  Buffer.from([1, 0, 0, 0, 0]),
  tlv(0x21, 'TLSv1.3'),
  tlv(0x22, 'a.example'),
]);
const validHeaders = [
  V1,
  Buffer.from('PROXY TCP6 2001:db8::1 2001:db8::2 1111 443\r\n'),
  Buffer.from('PROXY UNKNOWN\r\n'),
  v2(),
  reframed(v2({ tlvs: [tlv(1, 'h2')] }), true),
  v2({ command: 0x20, family: 0, addresses: Buffer.alloc(0) }),
  v2({ family: 0x21, addresses: INET6, tlvs: [tlv(1, 'h2'), tlv(2, 'a.example'), tlv(5, 'id')] }),
  v2({ family: 0x31, addresses: Buffer.alloc(216, 'x') }),
  v2({ tlvs: [tlv(0x20, SSL), tlv(0x30, 'ns'), tlv(4, '\0\0'), tlv(0xea, '\x01vpce')] }),
];

const TOKENS = ['\r\n', ' ', 'TCP6 ', '\x21', '\0\0', '\xff'];

const mutated = fc
  .tuple(mutations(fc.constantFrom(...validHeaders), TOKENS), fc.boolean(), fc.boolean())
  // With a correct length and checksum, the mutations reach deeper.
  .map(([bytes, fits, checksum]) => (fits ? reframed(bytes, checksum) : bytes));

/** Parses like the listener: again only when the needed number of bytes has arrived. */
function readInPieces(bytes: Uint8Array, pieces: readonly number[]): ProxyParseResult {
  let needed = 1;
  let length = 0;
  for (const piece of [...pieces, bytes.length]) {
    length = Math.min(length + piece, bytes.length);
    if (length < needed) continue;
    const reading = parseProxyHeader(bytes.subarray(0, length));
    if (reading.kind !== 'more') return reading;
    expect(reading.needed).toBeGreaterThan(length);
    needed = reading.needed;
  }
  return { kind: 'more', needed };
}

test(`${RUNS} mutated headers never throw, and parse the same however they are split`, () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 });
  const property = fc.property(mutated, pieces, (bytes, cuts) => {
    const reading = parseProxyHeader(bytes);
    const inPieces = readInPieces(bytes, cuts);
    expect(inPieces.kind).toBe(reading.kind);
    if (reading.kind === 'more') expect(reading.needed).toBeLessThanOrEqual(FIXED + 4096);
    if (reading.kind !== 'header') return;
    expect(inPieces).toEqual(reading);
    expect(reading.length).toBeLessThanOrEqual(bytes.length);
    const connection = new Connection(new Socket());
    connection.applyProxyHeader(reading.header);
    const view: unknown = JSON.parse(JSON.stringify(proxyProtocolView(connection)));
    expect(violations(proxyProtocolSchema, view)).toEqual([]);
  });
  fc.assert(property, { numRuns: RUNS });
}, 300_000);

test('the mutations reach every result', () => {
  // The same ones each time: of 4000 that are drawn anew, one result in fifteen may be missing.
  const seen = fc.sample(mutated, { numRuns: 4000, seed: 3 }).map((bytes) => {
    const reading = parseProxyHeader(bytes);
    return reading.kind === 'invalid' ? reading.error : reading.kind;
  });
  expect([...new Set(seen)].sort()).toEqual([
    'header',
    'missing',
    'more',
    'v1-address',
    'v1-family',
    'v1-line',
    'v1-port',
    'v1-too-long',
    'v2-address',
    'v2-checksum',
    'v2-command',
    'v2-family',
    'v2-tlv',
    'v2-too-long',
    'v2-version',
  ]);
});

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Sends the bytes and FIN, and reads until the connection closes. */
function send(port: number, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.resume().end(bytes);
  });
}

test(`${RUNS / 20} of them over TCP get no response, are counted, and leave nothing open`, async () => {
  const delivered: Connection[] = [];
  const handler = {
    accept(connection: Connection): void {
      delivered.push(connection);
      connection.socket.destroy();
    },
  };
  const counted = new Map<string, number>();
  const listener = new Listener(
    { h1: handler, h2: handler, tls: handler },
    {
      headerTimeout: 10_000,
      sweepInterval: 500,
      proxyProtocol: 'require',
      observer: {
        rejected(_, error) {
          if (error instanceof InvalidProxyHeader) count(counted, error.fault);
        },
      },
    },
  );
  const { port } = await listener.listen(0, '127.0.0.1');
  const expected = new Map<string, number>();
  const heaps: number[] = [];
  for (const round of [1, 2, 3, 4]) {
    const headers = fc.sample(mutated, { numRuns: RUNS / 80, seed: round });
    for (let at = 0; at < headers.length; at += 50) {
      await Promise.all(
        headers.slice(at, at + 50).map((bytes) => {
          const reading = parseProxyHeader(bytes);
          if (reading.kind === 'invalid') count(expected, reading.error);
          if (reading.kind === 'more' && bytes.length > 0) count(expected, 'incomplete');
          // The protocol is not detected yet after a valid header, so FIN closes the connection.
          return send(port, reading.kind === 'header' ? bytes.subarray(0, reading.length) : bytes);
        }),
      );
    }
    collectGarbage();
    heaps.push(process.memoryUsage().heapUsed);
  }
  await until(() => listener.connections.size === 0);
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
  expect(delivered).toEqual([]);
  const [first = 0, , ...later] = heaps;
  // What is compiled meanwhile, or was not collected once, is no leak.
  expect(Math.min(...later) - first).toBeLessThan(2 * 1024 ** 2);
  listener.destroy();
}, 300_000);
