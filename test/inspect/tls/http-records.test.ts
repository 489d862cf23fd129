import { expect, test } from 'vitest';
import { HttpRecords } from '../../../src/inspect/tls/http-records.ts';

test('what is received: each read is of one record', () => {
  const records = new HttpRecords();
  // The end of the handshake, two requests and an alert.
  for (const [number, length] of [
    [3, 52],
    [4, 100],
    [5, 10],
    [6, 2],
  ] as const) {
    records.received(number, length);
  }
  records.read(100);
  records.read(10);
  expect(records.carried(3)).toBeUndefined();
  expect(records.carried(4)).toEqual({ offset: 0, length: 100 });
  expect(records.carried(5)).toEqual({ offset: 100, length: 10 });
  expect(records.of(0, 100)).toEqual({ first: 4, last: 4 });
  expect(records.of(99, 2)).toEqual({ first: 4, last: 5 });
  expect(records.of(100, 0)).toEqual({ first: 5, last: 5 });
  expect(records.of(109, 2)).toBeUndefined();
});

test('a read of no known record is counted, and the offsets after it are right', () => {
  const records = new HttpRecords();
  records.received(1, 10);
  records.read(7);
  records.read(10);
  expect(records.carried(1)).toEqual({ offset: 7, length: 10 });
});

test('what is written is in the next records', () => {
  const records = new HttpRecords();
  // Session tickets.
  records.sent(6, 200);
  records.written(20_000);
  records.sent(7, 16_384);
  records.sent(8, 3616);
  // close_notify.
  records.sent(9, 2);
  expect([6, 7, 8, 9].map((number) => records.carried(number))).toEqual([
    undefined,
    { offset: 0, length: 16_384 },
    { offset: 16_384, length: 3616 },
    undefined,
  ]);
  expect(records.of(0, 20_000)).toEqual({ first: 7, last: 8 });
});

test('complete records that Node did not read are counted, unless they may be of the handshake', () => {
  const records = new HttpRecords();
  records.received(0, 36);
  expect(records.unread(1)).toEqual({ records: 0, bytes: 0 });
  records.received(1, 5);
  records.read(5);
  records.received(2, 6);
  records.received(3, 7);
  expect(records.unread(4)).toEqual({ records: 2, bytes: 13 });
  expect(records.unread(3)).toEqual({ records: 1, bytes: 6 });
  for (let number = 4; number < 3000; number++) records.received(number, 1);
  expect(records.unread(3000)).toEqual({ records: 2998, bytes: 2996 + 13 });
});

test('the first and the last records are kept, in bounded memory', () => {
  const records = new HttpRecords();
  for (let number = 0; number < 10_000; number++) {
    records.received(number, 10);
    records.read(10);
  }
  expect(records.of(0, 20)).toEqual({ first: 0, last: 1 });
  expect(records.of(630, 10)).toEqual({ first: 63, last: 63 });
  expect(records.of(640, 10)).toBeUndefined();
  expect(records.of(99_350, 10)).toBeUndefined();
  expect(records.of(99_360, 640)).toEqual({ first: 9936, last: 9999 });
  expect(records.bytesKept).toBeLessThan(10_000);
});
