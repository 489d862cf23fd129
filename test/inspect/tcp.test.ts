import { expect, test } from 'vitest';
import { TcpTrace, Transfers } from '../../src/inspect/tcp.ts';

test('the first and the last 64 transfers are kept, in order', () => {
  for (const count of [0, 1, 64, 65, 127, 128, 129, 200, 1000]) {
    const transfers = new Transfers();
    for (let at = 0; at < count; at++) transfers.add(at, 2);
    const times = Array.from({ length: count }, (_, at) => at);
    const expected = count <= 128 ? times : [...times.slice(0, 64), ...times.slice(-64)];
    expect(transfers.kept.map(({ time }) => time)).toEqual(expected);
    expect(transfers).toMatchObject({ count, bytes: 2 * count, leftOut: Math.max(0, count - 128) });
  }
});

test('the first end of each side counts; a reset leaves no side half-closed', () => {
  const tcp = new TcpTrace();
  expect(tcp.halfClosed).toBeUndefined();
  tcp.ended({ by: 'wirebin', how: 'fin', time: 1 });
  tcp.ended({ by: 'wirebin', how: 'rst', time: 2 });
  expect(tcp.halfClosed).toBeUndefined();
  tcp.ended({ by: 'client', how: 'rst', time: 4 });
  expect(tcp.ends).toEqual([
    { by: 'wirebin', how: 'fin', time: 1 },
    { by: 'client', how: 'rst', time: 4 },
  ]);
  expect(tcp.halfClosed).toBe(3);
  const reset = new TcpTrace();
  reset.ended({ by: 'client', how: 'rst', time: 1 });
  reset.ended({ by: 'wirebin', how: 'fin', time: 2 });
  expect(reset.halfClosed).toBeUndefined();
});
