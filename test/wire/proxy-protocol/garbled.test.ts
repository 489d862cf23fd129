import { connect } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TcpConnection } from '../../../src/net/tcp-connection.ts';
import { Listener } from '../../../src/net/listener.ts';
import { InvalidProxyHeader } from '../../../src/wire/proxy-protocol/header.ts';
import { parseProxyHeader } from '../../../src/wire/proxy-protocol/read.ts';
import { until } from '../../_adapters.ts';
import { collectGarbage } from '../../_garbage.ts';
import { garbled } from './_garbled.ts';

const RUNS = 4000;

test('the mutations reach every result', () => {
  // The same ones each time: of 4000 that are drawn anew, one result in fifteen may be missing.
  const seen = fc.sample(garbled, { numRuns: 4000, seed: 3 }).map((bytes) => {
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
  const delivered: TcpConnection[] = [];
  const handler = {
    accept(connection: TcpConnection): void {
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
    const headers = fc.sample(garbled, { numRuns: RUNS / 80, seed: round });
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
