import { describe, expect, test } from 'vitest';
import { eventOf } from '../../../src/telemetry/tap/event.ts';
import { handshakeFailedRecord, requestRecord } from '../../../src/telemetry/tap/record.ts';
import { FakeExchange } from '../../_exchange.ts';

function toEvent(exchange: FakeExchange): Record<string, unknown> {
  return eventOf(requestRecord(exchange, true, false), false);
}

describe('a record is bounded', () => {
  test('in the number of field lines', () => {
    const fields = Array.from({ length: 250 }, (_, n) => [`X-${n}`, 'x']).flat();
    const event = toEvent(new FakeExchange('/', { fields }));
    expect(event['raw_headers']).toHaveLength(100);
    expect(event['raw_headers_left_out']).toBe(150);
  });

  test('in the length of its field lines: whole lines, none after an omitted one', () => {
    const fields = ['A', 'a'.repeat(4000), 'B', 'b'.repeat(95), 'C', 'c', 'D', 'd'];
    const event = toEvent(new FakeExchange('/', { fields }));
    expect(event['raw_headers']).toEqual([['A', 'a'.repeat(4000)]]);
    expect(event['raw_headers_left_out']).toBe(3);
    const all = toEvent(new FakeExchange('/', { fields: fields.slice(4) }));
    expect(all['raw_headers']).toHaveLength(2);
    expect(all).not.toHaveProperty('raw_headers_left_out');
  });

  test('in its target and method, and has the length of the whole target', () => {
    const target = `/${'é'.repeat(5000)}`;
    const event = toEvent(new FakeExchange(target, { method: 'M'.repeat(1000) }));
    expect(event['path']).toBe(target.slice(0, 2048));
    expect(event['target_length']).toBe(5001);
    expect(event['method']).toBe('M'.repeat(64));
    expect(toEvent(new FakeExchange('/short'))).not.toHaveProperty('target_length');
  });

  test('in its ClientHello: a long one is parsed immediately', () => {
    const { connection } = new FakeExchange('/');
    connection.receivedHello(new Uint8Array(9000));
    const record = handshakeFailedRecord(connection, new Error('it failed'));
    if (record.kind !== 'handshake_failed') throw new Error('not handshake_failed');
    expect(record.hello).not.toBeInstanceOf(Uint8Array);
    expect(eventOf(record, false)).toMatchObject({
      reason: 'it failed',
      ja4: null,
      ja3n_hash: null,
    });
    connection.receivedHello(new Uint8Array(500));
    const short = handshakeFailedRecord(connection, new Error('it failed'));
    expect(short).toHaveProperty('hello', connection.clientHello);
  });
});

test('an event is plain data', () => {
  const event = toEvent(new FakeExchange('/a?b', { fields: ['Host', 'x', 'Cookie', 'a=b'] }));
  expect(JSON.parse(JSON.stringify(event))).toEqual(event);
});

test.each([
  ['/a;jsessionid=1/b;c=d', '/a;jsessionid=[redacted]/b;c=d'],
  ['/a;sid=1?b=c', '/a;sid=[redacted]'],
  ['/a#sid=1', '/a#sid=[redacted]'],
])('secrets in the path %s', (target, path) => {
  expect(toEvent(new FakeExchange(target))['path']).toBe(path);
});
