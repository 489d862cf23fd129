import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import { sharedService } from '../_shared.ts';
import { beginCall, callWith, ended, openSession, prefixed } from './_call.ts';
import { bytes, message, number } from './_protobuf.ts';

const path = (method: string) => `/grpc.testing.TestService/${method}`;
const failing = (status: number) => bytes(7, message(number(1, status)));

describe('what is said of calls', () => {
  const running = sharedService('--tap', '--metrics-enabled', '--log-requests');

  test('metrics, journal and log', async () => {
    const { port, service, logged } = running();
    const session = openSession(port);
    await callWith(session, path('EmptyCall'), ['']);
    const key = { 'x-wirebin-journal': 'calls' };
    await callWith(session, path('UnaryCall'), [failing(5)], key);
    await callWith(session, path('UnaryCall'), [failing(77)]);
    await callWith(session, '/a.b/C', ['']);
    await callWith(session, '/a.b/D', ['']);
    const cancelled = beginCall(session, path('FullDuplexCall'));
    const later = bytes(2, message(number(1, 1), number(2, 60_000_000)));
    cancelled.write(prefixed(message(bytes(2, number(1, 1)), later)));
    cancelled.once('data', () => cancelled.close(8));
    await ended(cancelled);
    await until(() => logged.filter(({ msg }) => msg === 'request').length === 6);
    const counts = service.counts();
    expect(counts).toMatchObject({
      total_requests: 6,
      successes: 1,
      failures: 5,
      grpc: { OK: 1, NOT_FOUND: 1, UNKNOWN: 1, UNIMPLEMENTED: 2, CANCELLED: 1 },
    });
    expect(counts?.endpoint_hits).toEqual({
      '/grpc.testing.TestService/EmptyCall': 1,
      '/grpc.testing.TestService/UnaryCall': 2,
      '/grpc.testing.TestService/FullDuplexCall': 1,
      '/other': 2,
    });
    expect(logged.map(({ grpc_status }) => grpc_status).filter(Boolean)).toEqual([
      'OK',
      'NOT_FOUND',
      '77',
      'UNIMPLEMENTED',
      'UNIMPLEMENTED',
      'CANCELLED',
    ]);
    const client = openClient('http/1.1', port);
    const journal = await client.request('/journal/calls');
    expect(JSON.parse(journal.body.toString())).toMatchObject({
      entries: [{ response: { status: 200, grpc_status: 'NOT_FOUND' }, outcome: 'sent' }],
    });
    const { body } = await client.request('/metrics?format=prometheus');
    expect(body.toString()).toContain('wirebin_grpc_calls_total{status="UNIMPLEMENTED"} 2');
  });
});

describe('calls that have ended before their message is inflated', () => {
  const running = sharedService('--log-level=error');

  test.each([
    ['not gzip', Buffer.alloc(20_000, 'not gzip')],
    ['gzip of too much', gzipSync(Buffer.alloc(2 ** 23))],
  ])('log nothing of %s', async (_, content) => {
    const { port, logged } = running();
    const session = openSession(port);
    const fields = { 'grpc-encoding': 'gzip' };
    for (let sent = 0; sent < 40; sent++) {
      const isLate = sent % 2 === 0;
      const deadline = isLate ? { 'grpc-timeout': '1m' } : {};
      const stream = beginCall(session, path('EmptyCall'), { ...fields, ...deadline });
      const end = ended(stream);
      stream.end(prefixed(content, 1));
      if (!isLate) setTimeout(() => stream.close(8), sent / 10);
      await end;
    }
    // The thread pool is done with all of them once it is with this one.
    const last = beginCall(session, path('EmptyCall'), fields);
    last.end(prefixed(content, 1));
    await ended(last);
    expect(logged).toEqual([]);
  });
});

describe('chaos', () => {
  const status = sharedService('--chaos', 'status=503:100%');
  const some = sharedService('--chaos=status=503:100%', '--chaos-paths', path('EmptyCall'));
  const fault = sharedService('--chaos', 'rst-stream:100%', '--metrics-enabled');
  const delay = sharedService('--chaos', 'delay=10ms:100%');

  test('a status becomes one of gRPC', async () => {
    const { headers } = await callWith(openSession(status().port), path('EmptyCall'), ['']);
    expect(headers).toMatchObject({
      ':status': 200,
      'grpc-status': '14',
      'x-chaos': 'status=503',
    });
  });

  test('only of the methods that --chaos-paths names', async () => {
    const session = openSession(some().port);
    const { headers } = await callWith(session, path('EmptyCall'), ['']);
    expect(headers['grpc-status']).toBe('14');
    const { trailers } = await callWith(session, path('UnaryCall'), ['']);
    expect(trailers['grpc-status']).toBe('0');
  });

  test('a fault is one of a call, too', async () => {
    const { reset, headers } = await callWith(openSession(fault().port), path('EmptyCall'), ['']);
    expect(headers).not.toHaveProperty('grpc-status');
    expect(reset).not.toBe(0);
    await until(() => fault().service.counts()?.failures === 1);
  });

  test('a delayed call is read and answered', async () => {
    const { trailers } = await callWith(openSession(delay().port), path('EmptyCall'), ['']);
    expect(trailers['grpc-status']).toBe('0');
  });
});
