import { describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { outcomeOf } from '../../_ending.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { exchange, GET, LAST } from '../../_raw.ts';
import { startService } from '../../_service.ts';
import { warningsAtStart } from '../../_settings.ts';

const settings = ['--tap', '--metrics-enabled', '--log-requests', '--allow-raw'];
const { running } = sharedPlace('http/1.1', ...settings);

const get10 = (path: string, fields = ''): string => `GET ${path} HTTP/1.0\r\n${fields}\r\n`;

describe('HTTP/1.0', () => {
  test.each([
    ['close?length=26&after=13', /\r\nContent-Length: 26\r\n.*\r\n\r\nabcdefghijklm$/s],
    ['stall?length=2&for=0.01', /\r\nConnection: close\r\n.*\r\n\r\na$/s],
    ['content-length?declared=3&sent=2', /\r\nContent-Length: 3\r\n.*\r\n\r\nab$/s],
    ['head?how=bare-lf&length=1', /^HTTP\/1\.1 200 OK\nContent-Type: .*\n\na$/s],
  ])('%s', async (path, expected) => {
    for (const fields of ['', 'Connection: keep-alive\r\n']) {
      const { received, ending } = await outcomeOf(
        running().port,
        get10(`/fault/${path}`, fields),
        false,
      );
      expect(received).toMatch(expected);
      expect(ending).toBe('FIN');
    }
  });

  test.each(['chunk', 'close?framing=chunked'])('%s is not available', async (path) => {
    const received = await exchange(running().port, get10(`/fault/${path}`));
    expect(received).toMatch(/^HTTP\/1\.1 400 .*HTTP\/1\.0 has no chunked coding/s);
  });

  test('/raw closes the connection', async () => {
    const { received } = await outcomeOf(
      running().port,
      get10('/raw?base64=YWJj&then=keep'),
      false,
    );
    expect(received).toBe('abc');
  });
});

test('what is shown of a fault', async () => {
  const { port } = running();
  await outcomeOf(port, GET('/fault/close'), false);
  const again = `Last-Event-ID: all\r\n${LAST}`;
  const tap = await exchange(port, GET('/tap?duration=0.2&kind=request,closed', again));
  expect(tap).toMatch(/"path":"\/fault\/close".*"octets":5120,"complete":false/);
  expect(tap).toMatch(/"by":"wirebin","reason":"fault"/);
  const connections = await exchange(port, GET('/connections', LAST));
  expect(connections).toMatch(/"wirebin fault": [1-9]/);
  const metrics = await exchange(port, GET('/metrics', LAST));
  expect(metrics).not.toMatch(/terminat\w*\{[^}]*reason="fault"/);
  await until(() =>
    running().logged.some(({ fault, msg }) => msg === 'request' && fault === 'close'),
  );
});

test('a drain waits for a stall, and closes after a fault that keeps the connection', async () => {
  const { port, service } = await startService('--drain-timeout', '10', '--tap');
  const stalled = outcomeOf(port, GET('/fault/stall?for=0.5'), false);
  const kept = outcomeOf(port, GET('/fault/head?how=nul&delay=0.3'), false);
  const open = () => service.connections?.entries().open ?? [];
  await until(() => open().filter(({ requests }) => requests === 1).length === 2);
  const aborted = service.drain();
  expect((await kept).received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n/s);
  expect((await stalled).ending).toBe('FIN');
  expect(await aborted).toBe(0);
});

test.each(['httpbin', 'go-httpbin', 'gateway-api', 'postman-echo'])(
  '%s has no faults',
  async (dialect) => {
    for (const path of ['/fault/close', '/fault/x', '/raw?base64=YWJj']) {
      const mark = path.includes('?') ? '&' : '?';
      const target = `${path}${mark}dialect=${dialect}`;
      const received = await exchange(running().port, GET(target, LAST));
      if (dialect === 'gateway-api') expect(received).toMatch(/^HTTP\/1\.1 200 /);
      else expect(received).toMatch(/^HTTP\/1\.1 404 /);
    }
  },
);

test('--allow-raw is warned of at the start', async () => {
  expect(await warningsAtStart()).not.toContainEqual(expect.stringContaining('--allow-raw'));
  expect(await warningsAtStart('--allow-raw')).toContainEqual(
    expect.stringMatching(/^because of --allow-raw, everyone .* forge/),
  );
});
