import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';

type Outputs = Awaited<ReturnType<typeof createLog>>;

/** What these calls write. */
async function logged(
  level: string,
  pretty: boolean,
  call: (outputs: Outputs) => void,
): Promise<string> {
  let written = '';
  const writeSync = (bytes: Buffer): number => {
    written += bytes.toString();
    return bytes.length;
  };
  const outputs = await createLog({
    level,
    pretty,
    sink: { writeSync, write: (bytes, callback) => callback(null, writeSync(bytes)) },
  });
  call(outputs);
  return written;
}

function warn({ log }: Outputs): void {
  log.debug('no');
  log.warn('yes');
}

function writeTwo({ writeLine }: Outputs): void {
  writeLine('{ "a": 1');
  writeLine('two');
}

describe('JSON', () => {
  test('lines have the name of the level, but no pid and host name', async () => {
    const lines = await logged('info', false, ({ log }) => {
      log.info({ a: 1 }, 'one');
      log.error('two');
    });
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { level: 'info', time: expect.any(Number), a: 1, msg: 'one' },
      { level: 'error', time: expect.any(Number), msg: 'two' },
    ]);
  });

  test('lines below the level are not written; silent writes none', async () => {
    expect(await logged('info', false, warn)).toMatch(/^[^\n]*"yes"\}\n$/);
    expect(await logged('silent', false, warn)).toBe('');
  });
});

test('pretty lines', async () => {
  const line = await logged('info', true, ({ log }) => log.info({ port: 80 }, 'listening'));
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*: .*listening/);
  expect(line).toMatch(/port.*80/);
});

test.each([
  ['JSON', false],
  ['pretty', true],
])('%s: no control character of a client reaches a terminal', async (_, pretty) => {
  const path = '/\u001B[2J\u007F\u0080\u009B2J\u009Fä';
  const line = await logged('info', pretty, ({ log }) => log.info({ path }, 'request'));
  expect(line).toContain(String.raw`/\u001b[2J\u007f\u0080\u009b2J\u009fä`);
});

test('other lines are written as they are, whatever the level is', async () => {
  expect(await logged('silent', false, writeTwo)).toBe('{ "a": 1\ntwo\n');
  expect(await logged('info', true, writeTwo)).toBe('{ "a": 1\ntwo\n');
});

test('what has not been written is written at the end', async () => {
  let written = '';
  const writeSync = (bytes: Buffer): number => {
    written += bytes.toString();
    return bytes.length;
  };
  // The first line is being written for ever.
  const sink = { write: () => undefined, writeSync };
  const { log, end } = await createLog({ level: 'info', pretty: false, sink });
  log.info('first');
  log.info('last words');
  end();
  expect(written).toContain('last words');
  expect(written).not.toContain('first');
});
