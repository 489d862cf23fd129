import { expect, test } from 'vitest';
import { parseListening, parseSize, parseStat } from '../../../src/bench/cost/process-text.ts';
import { socketLine } from './_proc.ts';

test('the fields of stat are found behind any name', () => {
  const numbers = '41 3 3 0 -1 4194304 133 0 0 0 1234 66 50 7 20 0 1 0 5631641 2990080 430';
  expect(parseStat(`42 (a) b (c) S ${numbers}`)).toEqual({
    name: 'a) b (c',
    parent: 41,
    seconds: 13,
    childSeconds: 0.57,
    started: '5631641',
  });
});

test.each(['', '42 (a) S 41', '42 a S 41 3 3 0 -1 0 1 0 0 0 x 66 50 7 20 0 1 0 5 2 4'])(
  '%j is no stat',
  (text) => {
    expect(parseStat(text)).toBeUndefined();
  },
);

test('sizes are in bytes', () => {
  const status = 'Name:\tnginx\nVmHWM:\t    6124 kB\nVmRSS:\t    5120 kB\nThreads:\t1\n';
  expect(parseSize(status, 'VmRSS')).toBe(5_242_880);
  expect(parseSize(status, 'VmHWM')).toBe(6_270_976);
  expect(parseSize(status, 'Threads')).toBeUndefined();
  expect(parseSize('', 'VmRSS')).toBeUndefined();
});

test('a port has the sockets that listen on it, at any or at this address', () => {
  const text = [
    'sl  local_address rem_address   st',
    socketLine('0100007F', 8080, 11),
    socketLine('00000000', 8080, 12),
    socketLine('0200007F', 8080, 13),
    socketLine('00000000000000000000000000000000', 8080, 14),
    socketLine('0100007F', 8081, 15),
    socketLine('0100007F', 8080, 16, '01'),
    '',
  ].join('\n');
  expect(parseListening(text, 8080, ['127.0.0.1'])).toEqual(['11', '12', '14']);
  expect(parseListening(text, 8080, ['::1'])).toEqual(['12', '14']);
  expect(parseListening(text, 80, ['127.0.0.1'])).toEqual([]);
  expect(parseListening('', 8080, ['127.0.0.1'])).toEqual([]);
});
