import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LogOutput, type Sink } from '../../src/telemetry/log-output.ts';

/** The lines of a write that has begun, and how to end it. */
interface Begun {
  readonly text: string;
  done(error?: string, written?: number): void;
}
const begun: Begun[] = [];
const lost: [lines: number, code: string][] = [];
/** What the output takes at the end of the process: all, or an error each time. */
let failure: string | undefined;
let last = '';

let attempts = 0;

const failed = (code: string): Error => Object.assign(new Error(code), { code });

const sink: Sink = {
  write: (bytes, callback) =>
    begun.push({
      text: bytes.toString(),
      done: (error, written = bytes.length) => callback(error ? failed(error) : null, written),
    }),
  writeSync(bytes) {
    attempts++;
    if (failure) throw failed(failure);
    last += bytes.toString();
    return bytes.length;
  },
};

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  begun.length = 0;
  lost.length = 0;
  last = '';
  attempts = 0;
  failure = undefined;
});

function output(maxWrite?: number): LogOutput {
  const made: LogOutput = new LogOutput({
    sink,
    ...(maxWrite && { maxWrite }),
    onLost(lines, code) {
      lost.push([lines, code]);
      made.write(`lost ${lines}\n`);
    },
  });
  return made;
}

const texts = (): string[] => begun.map(({ text }) => text);

test('what comes during a write goes together in the next', () => {
  const log = output();
  for (const line of ['a\n', 'b\n', 'c\n']) log.write(line);
  expect(texts()).toEqual(['a\n']);
  begun[0]?.done();
  begun[1]?.done();
  expect(texts()).toEqual(['a\n', 'b\nc\n']);
  log.write('d\n');
  expect(texts()).toEqual(['a\n', 'b\nc\n', 'd\n']);
});

test('what is written in part is written on', () => {
  const log = output();
  log.write('äbc\n');
  begun[0]?.done(undefined, 2);
  expect(texts()).toEqual(['äbc\n', 'bc\n']);
});

test('with a limit, whole lines up to it, and a longer line alone', () => {
  const log = output(6);
  log.write('first\n');
  for (const line of ['a\n', 'b\n', 'c\n', 'd\n', 'longer than that\n', 'e\n']) log.write(line);
  for (let at = 0; at < 5; at++) begun[at]?.done();
  expect(texts()).toEqual(['first\n', 'a\nb\nc\n', 'd\n', 'longer than that\n', 'e\n']);
});

test.each([
  ['EAGAIN', 10],
  ['ENOSPC', 1000],
  ['EFBIG', 1000],
  ['EPIPE', 1000],
])('after %s it is tried again in %i ms, in order', (code, pause) => {
  const log = output();
  log.write('a\n');
  begun[0]?.done(code);
  log.write('b\n');
  vi.advanceTimersByTime(pause - 1);
  expect(begun).toHaveLength(1);
  vi.advanceTimersByTime(1);
  begun[1]?.done();
  expect(texts()).toEqual(['a\n', 'a\n', 'b\n']);
  expect(lost).toEqual([]);
});

test('beyond a MiB lines are lost, and where they were missing is told', () => {
  const log = output();
  const line = `${'x'.repeat(1023)}\n`;
  log.write('first\n');
  begun[0]?.done('ENOSPC');
  for (let count = 0; count < 1100; count++) log.write(line);
  vi.advanceTimersByTime(1000);
  begun[1]?.done();
  log.write('later\n');
  begun[2]?.done();
  expect(begun[2]?.text).toBe(line.repeat(1025));
  expect(lost).toEqual([[75, 'ENOSPC']]);
  expect(begun[3]?.text).toBe('lost 75\nlater\n');
});

test('at the end what is left is written, but not what is being written', () => {
  const log = output(2);
  for (const line of ['a\n', 'b\n', 'c\n']) log.write(line);
  log.end();
  expect(last).toBe('b\nc\n');
});

test('at the end what was lost is told', () => {
  const log = output();
  log.write('a\n');
  begun[0]?.done('ENOSPC');
  log.write(`${'x'.repeat(1024 * 1024)}\n`);
  log.write('lost\n');
  log.end();
  expect(last.replace(/x+/, 'x')).toBe('a\nx\nlost 1\n');
});

test('at the end a full disk is not waited for, a full pipe for a moment', () => {
  const log = output();
  log.write('a\n');
  begun[0]?.done('EAGAIN');
  failure = 'ENOSPC';
  log.end();
  expect(attempts).toBe(1);
  vi.useRealTimers();
  failure = 'EAGAIN';
  const start = performance.now();
  log.end();
  expect(performance.now() - start).toBeGreaterThan(190);
  expect(performance.now() - start).toBeLessThan(1000);
});
