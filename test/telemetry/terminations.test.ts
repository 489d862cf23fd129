import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Terminations } from '../../src/telemetry/terminations.ts';
import { Connection } from '../../src/net/connection.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('of a flood without PROXY headers one line in ten seconds is at info level', () => {
  const lines: [level: string, details: object][] = [];
  const at = (level: string) => (details: object) => lines.push([level, details]);
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const cuts = new Terminations(log, undefined, (path) => path);
  const connection = new Connection(new Socket());
  for (let count = 0; count < 100; count++) {
    cuts.onProxyFault(connection, 'missing');
    vi.advanceTimersByTime(90);
  }
  vi.advanceTimersByTime(1000);
  cuts.onProxyFault(connection, 'missing');
  cuts.onProxyFault(connection, 'v1-line');
  const told = lines.filter(([level]) => level === 'info').map(([, details]) => details);
  expect(told).toMatchObject([{ reason: 'missing' }, { reason: 'missing', more: 99 }]);
  expect(told[0]).not.toHaveProperty('more');
  expect(lines).toHaveLength(102);
});
