import { expect, test } from 'vitest';
import { evidenceLines } from '../../../src/check/report/evidence.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nA: b\r\n\r\n';
const HEAD_LINES = ['HTTP/1.1 200 OK\\r\\n', 'A: b\\r\\n', '\\r\\n'];

test('content is cut to 80 bytes, with the number of the others', () => {
  expect(evidenceLines(HEAD, 'http/1.1')).toEqual(HEAD_LINES);
  expect(evidenceLines(`${HEAD}${'a'.repeat(80)}`, 'http/1.1')).toEqual([
    ...HEAD_LINES,
    'a'.repeat(80),
  ]);
  expect(evidenceLines(`${HEAD}${'a'.repeat(81)}`, 'http/1.1').at(-1)).toBe(
    `${'a'.repeat(80)}… (1 bytes more)`,
  );
});

test('bytes that the evidence does not have are counted, too', () => {
  expect(evidenceLines(`${HEAD}${'a'.repeat(90)}… (200 bytes more)`, 'http/1.1').at(-1)).toBe(
    `${'a'.repeat(80)}… (210 bytes more)`,
  );
});

test('a message that follows content is not cut off with it', () => {
  const content = 'a'.repeat(100);
  expect(evidenceLines(`${HEAD}${content}${HEAD}`, 'http/1.1')).toEqual([
    ...HEAD_LINES,
    `${'a'.repeat(80)}… (20 bytes more)`,
    ...HEAD_LINES,
  ]);
  const request = 'POST / HTTP/1.1\r\n\r\n';
  expect(evidenceLines(`${request}${content}${request}`, 'http/1.1')).toHaveLength(5);
  expect(evidenceLines('M-SEARCH * HTTP/1.1\r\n\r\n', 'http/1.1')).toHaveLength(2);
});

test('long lines and many lines are cut', () => {
  expect(evidenceLines(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(300)}`, 'http/1.1')).toEqual([
    'HTTP/1.1 200 OK\\r\\n',
    `A: ${'a'.repeat(197)}… (103 bytes more)`,
  ]);
  const lines = evidenceLines(`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(30)}`, 'http/1.1');
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('… 11 lines more');
});

function data(stream: number, flags: number): string {
  return `DATA stream=${stream} flags=0x${flags} length=4096\n  line\n${'a'.repeat(251)}`;
}

test('HTTP/2: WINDOW_UPDATE and repeated DATA are counted; the first and the last DATA stay', () => {
  const shown = [`  line`, `  ${'a'.repeat(75)}… (4016 bytes more)`];
  const update = 'WINDOW_UPDATE stream=0 flags=0x0 length=4 00001000';
  const frames = [
    'HEADERS stream=1 flags=0x4 length=9\n  :status: 200',
    data(1, 0),
    update,
    data(1, 0),
    data(3, 0),
    update,
    data(1, 0),
    data(1, 1),
    'RST_STREAM stream=3 flags=0x0 length=4 CANCEL',
  ];
  expect(evidenceLines(frames.join('\n'), 'h2')).toEqual([
    'HEADERS stream=1 flags=0x4 length=9',
    '  :status: 200',
    'DATA stream=1 flags=0x0 length=4096',
    ...shown,
    'DATA stream=3 flags=0x0 length=4096',
    ...shown,
    'DATA stream=1 flags=0x1 length=4096',
    ...shown,
    'RST_STREAM stream=3 flags=0x0 length=4 CANCEL',
    '… left out: 2 DATA, 2 WINDOW_UPDATE',
  ]);
});

test.each(['00000000', '7fffffff'])('a WINDOW_UPDATE of %s stays', (increment) => {
  const frame = `WINDOW_UPDATE stream=1 flags=0x0 length=4 ${increment}`;
  expect(evidenceLines(`${frame}… (7 bytes more)`, 'h2')).toEqual([
    frame,
    '… left out: 7 bytes after these',
  ]);
});

test('HTTP/2: DATA without content', () => {
  expect(evidenceLines('DATA stream=1 flags=0x1 length=0\n  ', 'h2')).toEqual([
    'DATA stream=1 flags=0x1 length=0',
  ]);
});
