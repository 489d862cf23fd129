import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { installed } from '../_process.ts';

const installation = installed();

/** The output of a process that makes these calls. */
function logged(level: string, pretty: boolean, calls: string): string {
  const script = `
    import { createLog } from '${pathToFileURL(join(installation().root, 'dist/telemetry/log.js')).href}';
    const { log, writeLine } = await createLog({ level: '${level}', pretty: ${pretty} });
    ${calls}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout;
}

describe('JSON', () => {
  test('lines have the name of the level, but no pid and host name', () => {
    const lines = logged('info', false, "log.info({ a: 1 }, 'one'); log.error('two');");
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

  test('lines below the level are not written; silent writes none', () => {
    const calls = "log.debug('no'); log.warn('yes');";
    expect(logged('info', false, calls)).toContain('yes');
    expect(logged('info', false, calls)).not.toContain('no"');
    expect(logged('silent', false, calls)).toBe('');
  });

  test('the last lines are written before process.exit()', () => {
    expect(logged('info', false, "log.info('last words'); process.exit(3);")).toContain(
      'last words',
    );
  });
});

test('pretty lines', () => {
  const line = logged('info', true, "log.info({ port: 80 }, 'listening');");
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] .*INFO.*: .*listening/);
  expect(line).toMatch(/port.*80/);
});

test.each([
  ['JSON', false],
  ['pretty', true],
])('%s: no control character of a client reaches a terminal', (_, pretty) => {
  const hostile = String.raw`\u001b[2J\u007f\u0080\u009b2J\u009f`;
  const line = logged('info', pretty, `log.info({ path: '/${hostile}\\u00e4' }, 'request');`);
  expect(line).toContain(`/${hostile}ä`);
});

test('other lines are written as they are, whatever the level is', () => {
  expect(logged('silent', false, `writeLine('{ "a": 1'); writeLine('two')`)).toBe(
    '{ "a": 1\ntwo\n',
  );
  expect(logged('info', true, `writeLine('one')`)).toBe('one\n');
});

test('the level is the one asked for', async () => {
  const { log } = await createLog({ level: 'warn', pretty: false });
  expect(log.isLevelEnabled('warn')).toBe(true);
  expect(log.isLevelEnabled('info')).toBe(false);
});
