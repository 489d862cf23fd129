import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LogOutput, type Sink } from '../../src/telemetry/log-output.ts';

/** A pending write. */
interface PendingWrite {
  readonly text: string;
  done(error?: string, written?: number): void;
}
const writes: PendingWrite[] = [];
const dropped: [lines: number, code: string][] = [];
/** Error code of writeSync(); undefined for success. */
let failure: string | undefined;
let writtenSync = '';

let attempts = 0;

const errorWith = (code: string): Error => Object.assign(new Error(code), { code });

const sink: Sink = {
  write: (bytes, callback) =>
    writes.push({
      text: bytes.toString(),
      done: (error, written = bytes.length) => callback(error ? errorWith(error) : null, written),
    }),
  writeSync(bytes) {
    attempts++;
    if (failure) throw errorWith(failure);
    writtenSync += bytes.toString();
    return bytes.length;
  },
};

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  writes.length = 0;
  dropped.length = 0;
  writtenSync = '';
  attempts = 0;
  failure = undefined;
});

function output(maxWrite?: number): LogOutput {
  const created: LogOutput = new LogOutput({
    sink,
    ...(maxWrite && { maxWrite }),
    onDropped(lines, code) {
      dropped.push([lines, code]);
      created.write(`dropped ${lines}\n`);
    },
  });
  return created;
}

const texts = (): string[] => writes.map(({ text }) => text);

test('lines logged during a write are combined in the next one', () => {
  const log = output();
  for (const line of ['a\n', 'b\n', 'c\n']) log.write(line);
  expect(texts()).toEqual(['a\n']);
  writes[0]?.done();
  writes[1]?.done();
  expect(texts()).toEqual(['a\n', 'b\nc\n']);
  log.write('d\n');
  expect(texts()).toEqual(['a\n', 'b\nc\n', 'd\n']);
});

test('a partial write is continued', () => {
  const log = output();
  log.write('äbc\n');
  writes[0]?.done(undefined, 2);
  expect(texts()).toEqual(['äbc\n', 'bc\n']);
});

test('with maxWrite, a write has whole lines up to the limit, or one longer line', () => {
  const log = output(6);
  log.write('first\n');
  for (const line of ['a\n', 'b\n', 'c\n', 'd\n', 'longer than that\n', 'e\n']) log.write(line);
  for (let at = 0; at < 5; at++) writes[at]?.done();
  expect(texts()).toEqual(['first\n', 'a\nb\nc\n', 'd\n', 'longer than that\n', 'e\n']);
});

test.each([
  ['EAGAIN', 10],
  ['ENOSPC', 1000],
  ['EFBIG', 1000],
  ['EPIPE', 1000],
])('after %s the write is retried in %i ms, in order', (code, pause) => {
  const log = output();
  log.write('a\n');
  writes[0]?.done(code);
  log.write('b\n');
  vi.advanceTimersByTime(pause - 1);
  expect(writes).toHaveLength(1);
  vi.advanceTimersByTime(1);
  writes[1]?.done();
  expect(texts()).toEqual(['a\n', 'a\n', 'b\n']);
  expect(dropped).toEqual([]);
});

test('beyond 1 MiB lines are dropped, and a line in their place reports it', () => {
  const log = output();
  const line = `${'x'.repeat(1023)}\n`;
  log.write('first\n');
  writes[0]?.done('ENOSPC');
  for (let count = 0; count < 1100; count++) log.write(line);
  vi.advanceTimersByTime(1000);
  writes[1]?.done();
  log.write('later\n');
  writes[2]?.done();
  expect(writes[2]?.text).toBe(line.repeat(1025));
  expect(dropped).toEqual([[75, 'ENOSPC']]);
  expect(writes[3]?.text).toBe('dropped 75\nlater\n');
});

test('end() writes the remaining lines, except those being written', () => {
  const log = output(2);
  for (const line of ['a\n', 'b\n', 'c\n']) log.write(line);
  log.end();
  expect(writtenSync).toBe('b\nc\n');
});

test('end() reports dropped lines', () => {
  const log = output();
  log.write('a\n');
  writes[0]?.done('ENOSPC');
  log.write(`${'x'.repeat(1024 * 1024)}\n`);
  log.write('dropped\n');
  log.end();
  expect(writtenSync.replace(/x+/, 'x')).toBe('a\nx\ndropped 1\n');
});

test('end() does not wait for a full disk, and only shortly for a full pipe', () => {
  const log = output();
  log.write('a\n');
  writes[0]?.done('EAGAIN');
  failure = 'ENOSPC';
  log.end();
  expect(attempts).toBe(1);
  vi.useRealTimers();
  failure = 'EAGAIN';
  const start = performance.now();
  log.end();
  expect(performance.now() - start).toBeGreaterThan(190);
});
