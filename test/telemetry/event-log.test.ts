import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { InvalidProxyHeader } from '../../src/net/proxy-protocol/header.ts';
import { Connection } from '../../src/net/connection.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('missing PROXY headers are logged at info level at most once in ten seconds', () => {
  const lines: [level: string, details: object][] = [];
  const at = (level: string) => (details: object) => lines.push([level, details]);
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const eventLog = new EventLog(log, (path) => path);
  const connection = new Connection(new Socket());
  for (let count = 0; count < 100; count++) {
    eventLog.rejected(connection, new InvalidProxyHeader('missing'));
    vi.advanceTimersByTime(90);
  }
  vi.advanceTimersByTime(1000);
  eventLog.rejected(connection, new InvalidProxyHeader('missing'));
  eventLog.rejected(connection, new InvalidProxyHeader('v1-line'));
  const infos = lines.filter(([level]) => level === 'info').map(([, details]) => details);
  expect(infos).toMatchObject([{ reason: 'missing' }, { reason: 'missing', more: 99 }]);
  expect(infos[0]).not.toHaveProperty('more');
  expect(lines).toHaveLength(102);
});
